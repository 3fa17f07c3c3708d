import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import type { SecretRef } from "#model";
import type { Vault } from "#ports";
import { systemRandomness } from "#runtime";
import { createMemoryVault, openVault, type VaultOptions } from "#stores";
import { must, tempDir } from "./journal-fixture.ts";

const ref = (name: string): SecretRef => name as SecretRef;
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

type Keyring = NonNullable<Awaited<ReturnType<NonNullable<VaultOptions["loadKeyring"]>>>>;

/** A stand-in for the desktop's keyring; the real one needs a desktop session and is not exercised here. */
function createStandIn(): Keyring {
  const secrets = new Map<string, Uint8Array>();
  return {
    set: async (account, secret) => void secrets.set(account, Uint8Array.from(secret)),
    get: async (account) => {
      const secret = secrets.get(account);
      return secret === undefined ? null : Uint8Array.from(secret);
    },
    remove: async (account) => void secrets.delete(account),
  };
}

function openIn(dir: string, keyring: Keyring | null): Vault {
  return openVault({
    dataDir: dir,
    stateDir: join(dir, "state"),
    random: systemRandomness,
    access: {
      passphrase: null,
      askPassphrase: async () => null,
      sessionBus: keyring === null ? "absent" : "present",
    },
    loadKeyring: async () => keyring,
  });
}

describe.each([
  ["in memory", () => createMemoryVault()],
  ["on disk", () => openIn(tempDir(), null)],
  ["secret service behind a stand-in", () => openIn(tempDir(), createStandIn())],
] as const)("the vault (%s)", (_name, open) => {
  test("a secret comes back byte for byte, as a copy of its own", async () => {
    const vault = open();
    const secret = bytes(0, 255, 10, 13, 0);
    must(await vault.put(ref("mail"), secret));
    must(await vault.put(ref("empty"), bytes()));
    secret.fill(7);
    const first = must(await vault.get(ref("mail")));
    expect([...first]).toEqual([0, 255, 10, 13, 0]);
    first.fill(9);
    expect([...must(await vault.get(ref("mail")))]).toEqual([0, 255, 10, 13, 0]);
    expect([...must(await vault.get(ref("empty")))]).toEqual([]);
  });

  test("what is not there is missing, before and after it was", async () => {
    const vault = open();
    const missing = { ok: false, error: { code: "secret_missing", ref: "mail" } };
    expect(await vault.status()).toMatchObject({ state: "empty" });
    expect(await vault.get(ref("mail"))).toEqual(missing);
    expect(must(await vault.list())).toEqual([]);
    must(await vault.remove(ref("mail")));
    must(await vault.put(ref("mail"), bytes(1)));
    expect(await vault.status()).toMatchObject({ state: "unlocked" });
    must(await vault.remove(ref("mail")));
    expect(await vault.get(ref("mail"))).toEqual(missing);
    expect(must(await vault.list())).toEqual([]);
  });

  test("a secret that is too large is refused, and the one before it stays", async () => {
    const vault = open();
    must(await vault.put(ref("mail"), bytes(1)));
    expect(await vault.put(ref("mail"), new Uint8Array(LIMITS.secretBytes + 1))).toMatchObject({
      ok: false,
      error: { code: "vault_full" },
    });
    expect([...must(await vault.get(ref("mail")))]).toEqual([1]);
    must(await vault.put(ref("mail"), new Uint8Array(LIMITS.secretBytes)));
  });

  test("changes at the same moment all count", async () => {
    const vault = open();
    const names = Array.from({ length: 12 }, (_, index) => `s${String(index).padStart(2, "0")}`);
    const stored = await Promise.all(names.map((name, index) => vault.put(ref(name), bytes(index))));
    expect(stored.every(({ ok }) => ok)).toBe(true);
    expect(must(await vault.list())).toEqual(names);
    expect([...must(await vault.get(ref("s07")))]).toEqual([7]);
  });

  test("it behaves like a map, whatever is done to it", async () => {
    const names = fc.constantFrom("a", "b", "constructor", "owner-signing-key", "a.b_c-1");
    const step = fc.record({ name: names, secret: fc.option(fc.uint8Array({ maxLength: 40 }), { nil: null }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const vault = open();
        const model = new Map<string, number[]>();
        for (const { name, secret } of steps) {
          must(secret === null ? await vault.remove(ref(name)) : await vault.put(ref(name), secret));
          if (secret === null) model.delete(name);
          else model.set(name, [...secret]);
        }
        expect(must(await vault.list())).toEqual([...model.keys()].toSorted());
        for (const [name, secret] of model) expect([...must(await vault.get(ref(name)))]).toEqual(secret);
      }),
      { numRuns: 20 },
    );
  });
});

describe("the backend of a vault", () => {
  test("is the secret service where one answers, and its file holds names only", async () => {
    const dir = tempDir();
    const vault = openIn(dir, createStandIn());
    must(await vault.put(ref("mail"), Buffer.from("correct horse")));
    expect(await vault.status()).toEqual({ backend: "secret_service", opensWith: null, state: "unlocked" });
    const text = readFileSync(join(dir, "vault.json"), "utf8");
    expect(text).toContain('"mail"');
    expect(text).not.toContain(Buffer.from("correct horse").toString("hex"));
  });

  test("stays the one it was made with: without it nothing is read, written or begun anew", async () => {
    const dir = tempDir();
    must(await openIn(dir, createStandIn()).put(ref("mail"), bytes(1)));
    const before = readFileSync(join(dir, "vault.json"), "utf8");
    const without = openIn(dir, null);
    const unavailable = { ok: false, error: { code: "vault_unavailable" } };
    expect(await without.status()).toMatchObject({ backend: "secret_service", state: "vault_unavailable" });
    expect(await without.get(ref("mail"))).toMatchObject(unavailable);
    expect(await without.put(ref("mail"), bytes(2))).toMatchObject(unavailable);
    expect(await without.remove(ref("mail"))).toMatchObject(unavailable);
    expect(readFileSync(join(dir, "vault.json"), "utf8")).toBe(before);
  });

  test("an encrypted file is used on although a secret service answers later", async () => {
    const dir = tempDir();
    must(await openIn(dir, null).put(ref("mail"), bytes(1)));
    const later = openIn(dir, createStandIn());
    expect(await later.status()).toMatchObject({ backend: "encrypted_file", opensWith: "key_file", state: "unlocked" });
    expect([...must(await later.get(ref("mail")))]).toEqual([1]);
  });

  test("a keyring that fails is a fault and not an empty vault", async () => {
    const refuse = async () => Promise.reject(new Error("the collection is locked"));
    const vault = openIn(tempDir(), { set: refuse, get: refuse, remove: refuse });
    expect(await vault.put(ref("mail"), bytes(1))).toMatchObject({ ok: false, error: { code: "vault_unavailable" } });
    expect(must(await vault.list())).toEqual([]);
  });
});
