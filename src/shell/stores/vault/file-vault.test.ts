import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { depth, sampleOf } from "../../../../test/depth.ts";
import { mustFail, must, tempDir } from "../store.fixture.ts";
import { openFile, ref } from "./file-vault.fixture.ts";
import { type Derive, deriveKey } from "./vault-seal.ts";
import { parseDocument, renderDocument, type FileDocument } from "./vault-document.ts";

const SECRET = Buffer.from("a canary that must not be found in clear");
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

async function made(options: Parameters<typeof openFile>[1] = {}): Promise<{ dir: string; path: string }> {
  const dir = tempDir();
  must(await openFile(dir, options).put(ref("mail"), SECRET));
  must(await openFile(dir, options).put(ref("bank"), Buffer.from("another secret")));
  return { dir, path: join(dir, "vault.json") };
}

function edit(path: string, change: (document: FileDocument) => FileDocument): void {
  const document = must(parseDocument(readFileSync(path, "utf8")));
  if (document.backend !== "encrypted_file") throw new Error("expected an encrypted file");
  writeFileSync(path, renderDocument(change(document)));
}

const codeOf = async (vault: ReturnType<typeof openFile>, name = "mail"): Promise<string> =>
  mustFail(await vault.get(ref(name))).code;

describe("what lies on the disk", () => {
  test("the file and its key are the owner's alone, and no secret is in them in any plain form", async () => {
    const { dir, path } = await made();
    const files = [path, join(dir, "state", "vault.key")];
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(statSync(join(dir, "state")).mode & 0o777).toBe(0o700);
    for (const file of files) {
      const text = readFileSync(file, "latin1");
      for (const form of ["latin1", "hex", "base64"] as const) expect(text).not.toContain(SECRET.toString(form));
    }
  });

  test("the same secret never looks the same twice", async () => {
    const { dir, path } = await made();
    const entry = (): unknown => (JSON.parse(readFileSync(path, "utf8")) as FileDocument).entries["mail"];
    const before = entry();
    must(await openFile(dir).put(ref("mail"), SECRET));
    expect(entry()).not.toEqual(before);
  });

  test("a passphrase is stretched as OWASP asks, and a key file is made only where there is none", async () => {
    const { dir, path } = await made({ passphrase: "correct horse battery" });
    const { kdf, opens_with } = JSON.parse(readFileSync(path, "utf8")) as FileDocument;
    expect({ opens_with, n: kdf.n, r: kdf.r, p: kdf.p }).toEqual({ opens_with: "passphrase", n: 131_072, r: 8, p: 1 });
    const vault = openFile(dir, { passphrase: "correct horse battery" });
    expect(textOf(must(await vault.get(ref("mail"))))).toBe(textOf(SECRET));
    expect(existsSync(join(dir, "state", "vault.key"))).toBe(false);
  });
});

describe("who may open it", () => {
  /** Says the same of a passphrase as the real derivation, without its third of a second. */
  const derive: Derive = (opener, kdf) => deriveKey(opener, { ...kdf, n: 2 });

  test("a wrong passphrase is told apart from a damaged file; none at all is a lock", async () => {
    const { dir, path } = await made({ passphrase: "correct horse", derive });
    const open = (opening: Parameters<typeof openFile>[1] = {}) => openFile(dir, { ...opening, derive });
    expect(textOf(must(await open({ passphrase: "correct horse" }).get(ref("mail"))))).toBe(textOf(SECRET));
    expect(textOf(must(await open({ typed: "correct horse" }).get(ref("mail"))))).toBe(textOf(SECRET));
    expect(await codeOf(open({ passphrase: "correct horsf" }))).toBe("vault_wrong_key");
    expect(await codeOf(open())).toBe("vault_locked");
    const before = readFileSync(path);
    expect(mustFail(await open().put(ref("mail"), SECRET))).toMatchObject({ missing: "passphrase" });
    expect(mustFail(await open({ passphrase: "x" }).remove(ref("mail"))).code).toBe("vault_wrong_key");
    expect(readFileSync(path)).toEqual(before);
    writeFileSync(path, before.subarray(0, before.length - 20));
    expect(await codeOf(open({ passphrase: "correct horse" }))).toBe("vault_damaged");
  });

  test("the same words typed on another keyboard are the same passphrase", async () => {
    const { dir } = await made({ passphrase: "cafe\u0301", derive });
    const vault = openFile(dir, { passphrase: "caf\u00e9", derive });
    expect(textOf(must(await vault.get(ref("mail"))))).toBe(textOf(SECRET));
  });

  test("a key file that is gone, foreign or damaged opens nothing, and no other takes its place", async () => {
    const { dir } = await made();
    const keyFile = join(dir, "state", "vault.key");
    const kept = readFileSync(keyFile);
    rmSync(keyFile);
    expect(await codeOf(openFile(dir))).toBe("vault_locked");
    expect(mustFail(await openFile(dir).put(ref("new-one"), SECRET)).code).toBe("vault_locked");
    expect(existsSync(keyFile)).toBe(false);
    writeFileSync(keyFile, "ab".repeat(32));
    expect(await codeOf(openFile(dir))).toBe("vault_wrong_key");
    writeFileSync(keyFile, "not a key");
    expect(await codeOf(openFile(dir))).toBe("vault_damaged");
    writeFileSync(keyFile, kept);
    expect(await openFile(dir).status()).toMatchObject({ state: "unlocked", opensWith: "key_file" });
  });
});

describe("the derived key", () => {
  const counted = () => {
    const keys: Uint8Array[] = [];
    const derive: Derive = async (opener, kdf) => {
      const key = await deriveKey(opener, { ...kdf, n: 2 });
      keys.push(key);
      return key;
    };
    return { keys, derive };
  };

  test("is derived once for as long as the same passphrase is given", async () => {
    const { keys, derive } = counted();
    const dir = tempDir();
    const vault = openFile(dir, { passphrase: "correct horse", derive });
    must(await vault.put(ref("mail"), SECRET));
    for (let time = 0; time < 3; time += 1) expect(textOf(must(await vault.get(ref("mail"))))).toBe(textOf(SECRET));
    expect(await vault.status()).toMatchObject({ state: "unlocked" });
    expect(keys).toHaveLength(1);
    expect(await codeOf(openFile(dir, { passphrase: "another horse", derive }))).toBe("vault_wrong_key");
  });

  test("is overwritten once its key file is gone, and derived anew when that is back", async () => {
    const { keys, derive } = counted();
    const dir = tempDir();
    const vault = openFile(dir, { derive });
    must(await vault.put(ref("mail"), SECRET));
    const keyFile = join(dir, "state", "vault.key");
    const kept = readFileSync(keyFile);
    rmSync(keyFile);
    expect(await codeOf(vault)).toBe("vault_locked");
    expect(keys.map((key) => key.every((byte) => byte === 0))).toEqual([true]);
    writeFileSync(keyFile, "ab".repeat(32));
    expect(await codeOf(vault)).toBe("vault_wrong_key");
    expect(keys.map((key) => key.every((byte) => byte === 0))).toEqual([true, true]);
    writeFileSync(keyFile, kept);
    expect(textOf(must(await vault.get(ref("mail"))))).toBe(textOf(SECRET));
  });
});

describe("tampering", () => {
  test("a sealed secret opens under no other name", async () => {
    const { dir, path } = await made();
    edit(path, (document) => {
      const { mail, bank } = document.entries;
      return { ...document, entries: { mail: bank ?? never(), bank: mail ?? never() } };
    });
    expect(await codeOf(openFile(dir), "mail")).toBe("vault_damaged");
    expect(await codeOf(openFile(dir), "bank")).toBe("vault_damaged");
  });

  test("a sealed secret opens in no other vault, also under the same key", async () => {
    const { dir, path } = await made();
    const other = tempDir();
    mkdirSync(join(other, "state"));
    copyFileSync(join(dir, "state", "vault.key"), join(other, "state", "vault.key"));
    must(await openFile(other).put(ref("mail"), Buffer.from("of the other")));
    const foreign = JSON.parse(readFileSync(join(other, "vault.json"), "utf8")) as FileDocument;
    edit(path, (document) => ({ ...document, entries: { mail: foreign.entries["mail"] ?? never() } }));
    expect(await codeOf(openFile(dir))).toBe("vault_damaged");
    // Even with the other's derivation, and so with its key, the vault's own id still stands between them.
    edit(path, (document) => ({ ...document, kdf: foreign.kdf, check: foreign.check, entries: foreign.entries }));
    expect(await codeOf(openFile(dir))).toBe("vault_wrong_key");
  });

  test("no change of a single byte gives another secret", async () => {
    const { dir, path } = await made();
    const whole = readFileSync(path);
    const codes = new Set<string>();
    for (const at of sampleOf(whole.keys(), 24)) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(path, changed);
      const got = await openFile(dir).get(ref("mail"));
      codes.add(got.ok ? textOf(got.value) : got.error.code);
    }
    expect([...codes]).toEqual(["vault_damaged"]);
  });

  test("an edit that repairs the digest is refused by the seal itself", async () => {
    const { dir, path } = await made();
    const whole = readFileSync(path);
    const flip = (hex: string, at: number): string =>
      hex.slice(0, at) + (Number.parseInt(hex[at] ?? "0", 16) ^ 1).toString(16) + hex.slice(at + 1);
    const sealedChars = (JSON.parse(whole.toString()) as FileDocument).entries["mail"]?.sealed.length ?? 0;
    for (const at of sampleOf(Array(sealedChars).keys(), 8)) {
      writeFileSync(path, whole);
      edit(path, (document) => {
        const mail = document.entries["mail"] ?? never();
        return { ...document, entries: { ...document.entries, mail: { ...mail, sealed: flip(mail.sealed, at) } } };
      });
      expect(await codeOf(openFile(dir))).toBe("vault_damaged");
    }
    for (const change of [
      (document: FileDocument) => ({ ...document, vault_id: flip(document.vault_id, 3) }),
      (document: FileDocument) => ({ ...document, kdf: { ...document.kdf, salt: flip(document.kdf.salt, 0) } }),
      (document: FileDocument) => ({ ...document, kdf: { ...document.kdf, n: 2048 } }),
      (document: FileDocument) => ({
        ...document,
        check: { ...document.check, sealed: flip(document.check.sealed, 5) },
      }),
    ]) {
      writeFileSync(path, whole);
      edit(path, change);
      expect(await codeOf(openFile(dir))).toBe("vault_wrong_key");
    }
  });

  test("another version and costs beyond reason are refused before anything is derived", async () => {
    const { dir, path } = await made();
    const whole = readFileSync(path);
    const reasonOf = async () => mustFail(await openFile(dir).get(ref("mail")));
    edit(path, (document) => ({ ...document, kdf: { ...document.kdf, n: 2 ** 40 } }));
    expect(await reasonOf()).toMatchObject({ code: "vault_damaged", reason: "not_a_vault" });
    writeFileSync(path, whole);
    edit(path, (document) => ({ ...document, version: 2 }) as unknown as FileDocument);
    expect(await reasonOf()).toMatchObject({ code: "vault_damaged", reason: "made_by_another_version" });
  });
});

describe("cut off in the middle", () => {
  test("what a cut write left behind is neither read nor in the way", async () => {
    const { dir, path } = await made();
    const whole = readFileSync(path);
    for (const length of [0, 1, whole.length >> 1, whole.length - 1]) {
      writeFileSync(`${path}.partial`, whole.subarray(0, length));
      expect(textOf(must(await openFile(dir).get(ref("mail"))))).toBe(textOf(SECRET));
    }
    must(await openFile(dir).put(ref("mail"), Buffer.from("next")));
    expect(textOf(must(await openFile(dir).get(ref("mail"))))).toBe("next");
    expect(readdirSync(dir)).not.toContain("vault.json.partial");
  });

  test("a write that fails leaves the vault as it was, and works once the cause is gone", async () => {
    const { dir, path } = await made();
    const whole = readFileSync(path);
    mkdirSync(`${path}.partial`);
    expect(mustFail(await openFile(dir).put(ref("mail"), Buffer.from("next"))).code).toBe("store_failed");
    expect(readFileSync(path)).toEqual(whole);
    rmSync(`${path}.partial`, { recursive: true });
    must(await openFile(dir).put(ref("mail"), Buffer.from("next")));
  });

  test("a key file without its vault is used for the vault that comes", async () => {
    const dir = tempDir();
    mkdirSync(join(dir, "state"));
    writeFileSync(join(dir, "state", "vault.key"), "cd".repeat(32));
    must(await openFile(dir).put(ref("mail"), SECRET));
    expect(readFileSync(join(dir, "state", "vault.key"), "utf8")).toBe("cd".repeat(32));
    expect(textOf(must(await openFile(dir).get(ref("mail"))))).toBe(textOf(SECRET));
  });

  test("killed at any moment, the vault holds the last secret that was told to be stored, or the one after it", async () => {
    const dir = tempDir();
    let told = -1;
    const rounds = depth({ sample: 3, every: 8 });
    for (let round = 0; round < rounds; round += 1) {
      told = await runUntilKilled({ dir, from: told + 1, lines: 1 + round * 3 });
      const held = Number(textOf(must(await openFile(dir).get(ref("counter")))));
      expect([told, told + 1]).toContain(held);
    }
  });
});

const CHILD = fileURLToPath(new URL("put-child.fixture.ts", import.meta.url));

/** Kills the child without warning once it has told of so many secrets; answers with the last one it told of. */
function runUntilKilled(run: { readonly dir: string; readonly from: number; readonly lines: number }): Promise<number> {
  const child = spawn(process.execPath, [CHILD, run.dir, String(run.from)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    if (text.split("\n").length > run.lines) child.kill("SIGKILL");
  });
  return new Promise((resolve, reject) =>
    child.once("close", (_code, signal) =>
      signal === "SIGKILL" ? resolve(Number(text.split("\n").at(-2))) : reject(new Error("the child ended by itself")),
    ),
  );
}

function never(): never {
  throw new Error("expected an entry");
}
