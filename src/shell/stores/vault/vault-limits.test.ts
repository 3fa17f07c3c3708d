import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LIMITS } from "#base";
import type { SecretRef, VaultFault } from "#model";
import type { Vault } from "#ports";
import { countingRandom, must, mustFail, tempDir } from "../store.fixture.ts";
import { openFile, ref } from "./file-vault.fixture.ts";
import { createKeyKeeper, createDerivation, deriveKey } from "./vault-seal.ts";
import { createKeyringVault } from "./keyring-vault.ts";
import { parseDocument, renderDocument, type VaultDocument } from "./vault-document.ts";

const SECRET = Buffer.from("a secret");
const names = (count: number): readonly SecretRef[] => Array.from({ length: count }, (_, at) => ref(`s${at}`));

function openKeyring(dir: string): Vault {
  const secrets = new Map<string, Uint8Array>();
  const keyring = {
    set: async (account: string, secret: Uint8Array) => void secrets.set(account, secret),
    get: async (account: string) => secrets.get(account) ?? null,
    remove: async (account: string) => void secrets.delete(account),
  };
  return createKeyringVault({
    path: join(dir, "vault.json"),
    random: countingRandom(),
    loadKeyring: async () => keyring,
  });
}

/** The same document with so many secrets: storing each by itself would write the whole file as often. */
function holding(document: VaultDocument, count: number): VaultDocument {
  if (document.backend === "secret_service") return { ...document, refs: [...names(count)] };
  const sealed = Object.values(document.entries)[0];
  if (sealed === undefined) throw new Error("expected an entry");
  return { ...document, entries: Object.fromEntries(names(count).map((name) => [name, sealed])) };
}

test.each([
  ["an encrypted file", openFile],
  ["the secret service", openKeyring],
] as const)("%s takes its last secret and none beyond it, and room is made by removing one", async (_name, open) => {
  const dir = tempDir();
  const path = join(dir, "vault.json");
  must(await open(dir).put(ref("s0"), SECRET));
  writeFileSync(
    path,
    renderDocument(holding(must(parseDocument(readFileSync(path, "utf8"))), LIMITS.vaultSecrets - 1)),
  );
  const vault = open(dir);
  must(await vault.put(ref("last"), SECRET));
  expect(must(await vault.list())).toHaveLength(LIMITS.vaultSecrets);
  expect(mustFail(await vault.put(ref("beyond"), SECRET)).code).toBe("vault_full");
  must(await vault.put(ref("s0"), SECRET));
  must(await vault.remove(ref("last")));
  must(await vault.put(ref("beyond"), SECRET));
});

test("a file that is larger than any vault is not even read as one", async () => {
  const dir = tempDir();
  const path = join(dir, "vault.json");
  const reasonAt = async (bytes: number): Promise<VaultFault> => {
    writeFileSync(path, "");
    truncateSync(path, bytes);
    return mustFail(await openFile(dir).list());
  };
  expect(await reasonAt(64 * 1024 * 1024)).toMatchObject({ code: "vault_damaged", reason: "not_json" });
  expect(await reasonAt(64 * 1024 * 1024 + 1)).toMatchObject({ code: "vault_damaged", reason: "too_large" });
});

const isGone = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

test("a passphrase and a key are overwritten once they are used up or another takes their place", async () => {
  const kdf = { ...createDerivation("key_file", countingRandom()), n: 2 };
  const keeper = createKeyKeeper(countingRandom());
  const words = () => Buffer.from("correct horse");
  const [first, again, other] = [words(), words(), Buffer.from("another horse")];
  const key = await keeper.keyFor(first, kdf);
  expect([isGone(first), isGone(key)]).toEqual([true, false]);
  expect(await keeper.keyFor(again, kdf)).toBe(key);
  expect([isGone(again), isGone(key)]).toEqual([true, false]);
  const next = await keeper.keyFor(other, kdf);
  expect([isGone(other), isGone(key), isGone(next)]).toEqual([true, true, false]);
  keeper.forget();
  expect(isGone(next)).toBe(true);
  const bytes = words();
  await deriveKey(bytes, kdf);
  expect(isGone(bytes)).toBe(true);
});
