import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretText, type SecretRef } from "#model";
import { systemRandomness } from "#runtime";
import { openVault } from "#stores";
import { createHome, urlIn, type Home } from "./cli-process.ts";
import { enrol } from "./server-start.ts";

type Keys = {
  readonly keys: readonly { key_id: string; public_key: string; name: string; revoked_at: string | null }[];
};
type Doctor = { readonly checks: readonly { check: string; state: string; message: string }[] };

let home: Home;
let file: string;
beforeEach(() => {
  home = createHome();
  file = join(home.dir, "contract.txt");
  writeFileSync(file, "I owe you nothing.\n");
});
afterEach(() => home.remove());

const PASSPHRASE = "only-in-this-test 27 horses";
const ANY_PORT = { SILAS_CHANNELS__WEB__PORT: "0" };
const sign = async (): Promise<string> => (await home.silas(["keys", "sign", file])).out.trim();
const verify = (signature: string, ...more: string[]) =>
  home.silas(["keys", "verify", file, "--signature", signature, ...more]);

/** The private key, read the way only the vault can. */
async function loadPrivateKey(passphrase: string | null): Promise<Buffer> {
  const vault = openVault({
    dataDir: join(home.dir, "data"),
    stateDir: join(home.dir, "state"),
    random: systemRandomness,
    access: { passphrase: secretText(passphrase), askPassphrase: async () => null, sessionBus: "absent" },
  });
  const got = await vault.get("owner-signing-key" as SecretRef);
  if (!got.ok) throw new Error(got.error.code);
  return Buffer.from(got.value);
}

/** A secret in every form somebody may write it: raw, hex, and base64 wherever it may begin in a longer text. */
function formsOf(secret: Buffer): readonly Buffer[] {
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), secret])
      .toString("base64")
      .replaceAll("=", "");
    return text.slice(4, -2);
  });
  const texts = [secret.toString("hex"), secret.toString("hex").toUpperCase(), ...base64];
  const url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [secret, ...[...texts, ...url].map((text) => Buffer.from(text))];
}

const holds = (content: Buffer, secret: Buffer): boolean => formsOf(secret).some((form) => content.includes(form));

const filesOf = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("the signing key", () => {
  test("[CLI-02] init makes it once, keeps the private half in the vault and prints no key material", async () => {
    const first = await home.silas(["init"]);
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toContain("encrypted file");
    expect(first.out).not.toMatch(/[0-9a-f]{32}/i);
    const seed = await loadPrivateKey(null);
    expect(seed.length).toBe(32);
    expect(holds(Buffer.from(first.out), seed)).toBe(false);
    const { keys } = await home.json<Keys>(["keys", "list", "--json"]);
    expect(keys).toHaveLength(1);
    await home.silas(["init"]);
    expect((await home.json<Keys>(["keys", "list", "--json"])).keys.map(({ key_id }) => key_id)).toEqual(
      keys.map(({ key_id }) => key_id),
    );
    expect(await loadPrivateKey(null)).toEqual(seed);
  });

  test("[KEY-04] it is in no file, log, answer, argument or environment after a whole run; nor is the passphrase", async () => {
    const secretEnv = { SILAS_VAULT_PASSPHRASE: PASSPHRASE };
    const dump = join(home.dir, "browser-environment");
    const browser = join(home.dir, "browser");
    writeFileSync(
      browser,
      `#!/bin/sh\ncat /proc/self/environ > '${dump}.partial' && mv '${dump}.partial' '${dump}'\n`,
      {
        mode: 0o755,
      },
    );
    const said: string[] = [];
    const run = async (args: readonly string[]) => {
      const ran = await home.silas(args, { env: { ...secretEnv, ...ANY_PORT } });
      said.push(ran.out, ran.err);
      return ran;
    };
    await run(["init"]);
    const firstSeed = await loadPrivateKey(PASSPHRASE);
    await run(["keys", "sign", file]);
    const running = await home.start(["--open"], { ...secretEnv, BROWSER: browser, DISPLAY: ":0" });
    await expect.poll(() => existsSync(dump)).toBe(true);
    const { cli_token } = JSON.parse(readFileSync(join(home.dir, "data", "instance.json"), "utf8")) as {
      cli_token: string;
    };
    for (const [path, body] of [
      ["/api/keys", null],
      ["/api/keys/self-test", null],
      ["/api/keys/sign-file", { sha256: "ab".repeat(32) }],
      ["/api/keys/enrol", { name: "never\u202enamed" }],
      ["/api/keys/sign-file", { sha256: "x" }],
    ] as const) {
      const response = await fetch(urlIn(running.output()) + path, {
        method: path === "/api/keys" ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${cli_token}`,
          ...(body === null ? {} : { "content-type": "application/json" }),
        },
        ...(body === null ? {} : { body: JSON.stringify(body) }),
      });
      said.push(await response.text(), JSON.stringify([...response.headers]));
    }
    // Linux shows both; the environment a process was started with keeps the passphrase and never held the key.
    const shown = (name: string): Buffer => {
      const path = `/proc/${running.child.pid}/${name}`;
      return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    };
    const process = { arguments: shown("cmdline"), environment: shown("environ") };
    running.child.kill("SIGTERM");
    said.push((await running.ended).out, (await running.ended).err);
    await run(["doctor"]);
    await run(["journal", "export", "--to", join(home.dir, "export.jsonl")]);
    await run(["backup"]);
    await run(["keys", "list", "--json"]);
    await run(["audit", "tail"]);

    const seed = await loadPrivateKey(PASSPHRASE);
    expect(seed).not.toEqual(firstSeed);
    const holdsKey = (content: Buffer): boolean => holds(content, seed) || holds(content, firstSeed);
    const found = filesOf(home.dir).filter((path) => {
      const content = readFileSync(path);
      return holdsKey(content) || content.includes(PASSPHRASE);
    });
    expect(found).toEqual([]);
    expect(
      filesOf(home.dir)
        .map((path) => path.slice(home.dir.length))
        .join("\n"),
    ).toMatch(/backups.*vault\.json/);
    expect(holdsKey(process.environment)).toBe(false);
    for (const text of [...said, process.arguments.toString("latin1"), readFileSync(dump, "latin1")]) {
      expect(holdsKey(Buffer.from(text, "latin1"))).toBe(false);
      expect(text).not.toContain(PASSPHRASE);
    }
    // The search itself finds what it looks for.
    writeFileSync(join(home.dir, "leak"), `x${seed.toString("base64url")}`);
    expect(filesOf(home.dir).filter((path) => holdsKey(readFileSync(path)))).toHaveLength(1);
  });

  test("[KEY-05] locked, wrong, damaged and lost vaults sign nothing, each with its reason, and nothing else is tried", async () => {
    await home.silas(["init"]);
    const vault = join(home.dir, "data", "vault.json");
    const keyFile = join(home.dir, "state", "vault.key");
    const kept = { vault: readFileSync(vault), key: readFileSync(keyFile) };
    const refused = async (reason: RegExp) => {
      const ran = await home.silas(["keys", "sign", file]);
      expect(ran).toMatchObject({ code: 1, out: "" });
      expect(ran.err).toMatch(reason);
      const doctor = JSON.parse((await home.silas(["doctor", "--json"], { env: ANY_PORT })).out) as Doctor;
      expect(doctor.checks.find(({ check }) => check === "signing key")).toMatchObject({ state: "fail" });
    };
    rmSync(keyFile);
    await refused(/vault is locked/);
    expect(existsSync(keyFile)).toBe(false);
    writeFileSync(keyFile, "ab".repeat(32), { mode: 0o600 });
    await refused(/does not open the vault/);
    writeFileSync(keyFile, kept.key);
    writeFileSync(vault, kept.vault.subarray(0, 300));
    await refused(/damaged/);
    rmSync(vault);
    await refused(/has no key to sign with/);
    writeFileSync(vault, kept.vault, { mode: 0o600 });
    expect((await verify(await sign())).code).toBe(0);
  });
});

describe("signatures over files", () => {
  test("hold for the file and the key, offline too, and for nothing else", async () => {
    await home.silas(["init"]);
    const signature = await sign();
    expect(signature).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
    expect((await verify(signature)).out).toMatch(/^Good signature of [0-9a-f]{32}, This machine\n$/);
    const { keys } = await home.json<Keys>(["keys", "list", "--json"]);
    const publicKey = keys[0]?.public_key ?? "";
    const elsewhere = { SILAS_HOME: join(home.dir, "elsewhere") };
    const offline = [
      "keys",
      "verify",
      file,
      "--signature",
      signature.split(":")[1] ?? "",
      "--key",
      publicKey,
      "--json",
    ];
    const checked = await home.silas(offline, { env: elsewhere });
    expect(JSON.parse(checked.out)).toMatchObject({ valid: true, key_id: keys[0]?.key_id });
    expect(existsSync(join(home.dir, "elsewhere"))).toBe(false);
    expect(await verify(signature, "--key", "ab".repeat(32))).toMatchObject({ code: 1, out: "" });
    expect(await verify(signature.slice(33))).toMatchObject({ code: 2, out: "" });
    expect(await verify(`${"0".repeat(32)}${signature.slice(32)}`)).toMatchObject({ code: 1, out: "" });
    expect(await verify(`${signature.slice(0, -1)}${signature.endsWith("0") ? "1" : "0"}`)).toMatchObject({ code: 1 });
    writeFileSync(file, "I owe you everything.\n");
    expect((await verify(signature)).err).toContain("other content or with another key");
    expect(await home.silas(["keys", "sign", join(home.dir, "nowhere")])).toMatchObject({ code: 1, out: "" });
  });

  test("the running Silas signs for the terminal, and a second key takes over", async () => {
    const running = await home.start();
    const first = await sign();
    expect((await verify(first)).code).toBe(0);
    expect((await home.silas(["keys", "enrol", "Laptop"])).code).toBe(0);
    const second = await sign();
    expect(second.slice(0, 32)).not.toBe(first.slice(0, 32));
    expect((await verify(first)).code).toBe(0);
    expect(await home.silas(["keys", "revoke", first.slice(0, 8)])).toMatchObject({ code: 3, out: "" });
    expect((await home.silas(["keys", "revoke", first.slice(0, 8), "--yes"])).code).toBe(0);
    expect((await verify(first)).err).toContain("is revoked");
    const last = await home.silas(["keys", "revoke", second.slice(0, 8), "--yes"]);
    expect(last).toMatchObject({ code: 1, out: "" });
    expect(last.err).toContain("--last-key");
    running.child.kill("SIGTERM");
    await running.ended;
    // The same keys without the instance, and what was done is in the chain.
    expect((await verify(second)).code).toBe(0);
    const { keys } = await home.json<Keys>(["keys", "list", "--json"]);
    expect(keys.map(({ name, revoked_at }) => [name, revoked_at === null])).toEqual([
      ["This machine", false],
      ["Laptop", true],
    ]);
    const activity = (await home.silas(["activity"])).out;
    for (const words of [
      "Enrolled the signing key Laptop",
      "Signed a file with the key",
      "Revoked the key This machine",
    ]) {
      expect(activity).toContain(words);
    }
    expect((await home.silas(["keys", "revoke", second.slice(0, 8), "--yes", "--last-key"])).code).toBe(0);
    expect((await home.silas(["keys", "sign", file])).err).toContain("is revoked");
  });

  test("a page may look at keys and check signatures, and may not use or change them", async () => {
    const running = await home.start();
    const url = urlIn(running.output());
    const [, link = ""] = /(http:\S+enrol#\S+)/.exec(running.output()) ?? [];
    const { token } = await enrol(url, link);
    const call = (path: string, body: unknown, bearer = token) =>
      fetch(url + path, {
        method: body === null ? "GET" : "POST",
        headers: {
          ...(bearer === "" ? {} : { authorization: `Bearer ${bearer}` }),
          ...(body === null ? {} : { "content-type": "application/json" }),
        },
        ...(body === null ? {} : { body: JSON.stringify(body) }),
      });
    const { keys } = (await (await call("/api/keys", null)).json()) as Keys;
    expect(keys).toHaveLength(1);
    const [keyId = "", signature = ""] = (await sign()).split(":");
    const { sha256 } = await home.json<{ sha256: string }>(["keys", "sign", file, "--json"]);
    const claim = { sha256, key_id: keyId, signature };
    expect(await (await call("/api/keys/verify-file", claim)).json()).toEqual({ key_id: keyId, name: "This machine" });
    expect((await call("/api/keys/verify-file", { ...claim, signature: "" })).status).toBe(422);
    const forbidden = [
      ["/api/keys/sign-file", { sha256 }],
      ["/api/keys/enrol", { name: "Page" }],
      ["/api/keys/revoke", { key_id: keyId, last_key: "revoke" }],
      ["/api/keys/self-test", {}],
    ] as const;
    for (const [path, body] of forbidden) {
      const refused = await call(path, body);
      expect([path, refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
        path,
        403,
        "terminal_only",
      ]);
      expect((await call(path, body, "")).status).toBe(401);
    }
    expect((await call("/api/keys", null, "")).status).toBe(401);
    expect((await home.json<Keys>(["keys", "list", "--json"])).keys).toMatchObject([
      { key_id: keyId, revoked_at: null },
    ]);
  });

  test("the terminal cannot have other bytes signed than the digest of a file", async () => {
    const running = await home.start();
    const { cli_token } = JSON.parse(readFileSync(join(home.dir, "data", "instance.json"), "utf8")) as {
      cli_token: string;
    };
    const ask = async (body: unknown) =>
      (
        await fetch(`${urlIn(running.output())}/api/keys/sign-file`, {
          method: "POST",
          headers: { authorization: `Bearer ${cli_token}`, "content-type": "application/json" },
          body: JSON.stringify(body),
        })
      ).status;
    expect(await ask({ sha256: "ab".repeat(32) })).toBe(200);
    for (const body of [
      {},
      { sha256: "" },
      { sha256: "AB".repeat(32) },
      { sha256: "ab".repeat(33) },
      { sha256: `${"ab".repeat(32)}\n` },
      { sha256: "ab".repeat(32), prefix: "silas-approval-v1" },
      { bytes: "silas-approval-v1\n" },
    ]) {
      expect([body, await ask(body)]).toEqual([body, 400]);
    }
  });
});

describe("backup", () => {
  test("holds the encrypted vault and not what opens it, says so, and signs again once both are back", async () => {
    await home.silas(["init"]);
    const made = await home.silas(["backup", "--to", join(home.dir, "copy")]);
    expect(made.err).toContain("vault.key");
    expect(readdirSync(join(home.dir, "copy")).toSorted()).toEqual([
      "db.sqlite",
      "manifest.json",
      "silas.db",
      "vault.json",
    ]);
    expect((await home.silas(["backup", "verify", join(home.dir, "copy")])).code).toBe(0);
    const signature = await sign();
    const other = join(home.dir, "other");
    mkdirSync(other);
    const there = { env: { SILAS_HOME: other } };
    expect((await home.silas(["restore", join(home.dir, "copy"), "--yes"], there)).code).toBe(0);
    expect((await home.silas(["keys", "sign", file], there)).err).toContain("vault.key");
    expect((await home.silas(["keys", "verify", file, "--signature", signature], there)).code).toBe(0);
    mkdirSync(join(other, "state"), { recursive: true });
    renameSync(join(home.dir, "state", "vault.key"), join(other, "state", "vault.key"));
    expect((await home.silas(["keys", "sign", file], there)).out.trim()).toBe(signature);
    writeFileSync(join(home.dir, "copy", "vault.json"), "{}");
    expect(await home.silas(["backup", "verify", join(home.dir, "copy")])).toMatchObject({ code: 1 });
  });
});
