import { err, ok, type Result, type Sha256Hex } from "#base";
import type { KeyError, KeyId, KeysReport, OwnerKey, SigningError } from "#model";
import type { KeysDoor, Randomness, Signer } from "#ports";
import { keyIdOf, publicKeyOf, SEED_BYTES, verifyWith } from "./ed25519.ts";
import { loadSeed, SIGNING_KEY_REF, verifySigned, type SignerDeps } from "./signer.ts";

export type KeysDoorDeps = SignerDeps & { readonly signer: Signer; readonly randomness: Randomness };

const SYSTEM = { kind: "system" } as const;
const FIRST_KEY_NAME = "This machine";

/** The owner's keys, for the terminal and for channels. */
export function createKeysDoor(deps: KeysDoorDeps): KeysDoor {
  const { registry, clock, signer } = deps;
  return {
    prepare: () => prepare(deps),
    list: () => registry.list(),
    enrol: (name, actor) => enrol(deps, { name, actor }),
    revoke: (revocation) => registry.revoke({ ...revocation, at: clock.now() }),
    signFile: (sha256, actor) => signer.sign(fileStatement(sha256), { purpose: "file", actor }),
    verifyFile: async ({ sha256, keyId, signature }) => {
      const verified = await verifySigned(registry, { keyId, bytes: fileStatement(sha256), signature });
      return verified.ok ? ok({ keyId, name: verified.value.name }) : verified;
    },
    report: (actor) => report(deps, actor),
  };
}

/**
 * What a signature over a file covers. The first line says what kind of statement it is, and is put there by the code
 * that holds the key: nothing a caller sends can be taken for an approval.
 */
export const fileStatement = (sha256: Sha256Hex): Uint8Array => Buffer.from(`silas-file-v1\n${sha256}\n`);

/** Checks a file against a public key that somebody handed over, without any registry. */
export function verifyFileWith(
  publicKey: string,
  claim: { readonly sha256: Sha256Hex; readonly signature: string },
): Result<void, KeyError> {
  return verifyWith(publicKey, { bytes: fileStatement(claim.sha256), signature: claim.signature });
}

/**
 * The first key. The private half is stored before the public half is enrolled; when a start was cut in between, the
 * key that is already in the vault is the one enrolled. An installation that has a key never gets another by itself.
 */
async function prepare(deps: KeysDoorDeps): Promise<Result<OwnerKey | null, SigningError>> {
  const { registry, vault } = deps;
  const listed = await registry.list();
  if (!listed.ok) return listed;
  if (listed.value.length > 0) return ok(null);
  const stored = await loadSeed(vault);
  if (!stored.ok && stored.error.code !== "secret_missing") return stored;
  const seed = stored.ok ? stored.value : deps.randomness.bytes(SEED_BYTES);
  const key = describeKey(deps, { seed, name: FIRST_KEY_NAME });
  const put = stored.ok ? ok() : await vault.put(SIGNING_KEY_REF, seed);
  seed.fill(0);
  if (!put.ok) return put;
  const added = await registry.add(key, SYSTEM);
  return added.ok ? ok(key) : added;
}

/**
 * The public half is enrolled before the private half replaces the one in the vault: a cut in between leaves the old
 * signer working, and one enrolled key that never signs.
 */
async function enrol(
  deps: KeysDoorDeps,
  { name, actor }: { readonly name: string; readonly actor: Parameters<KeysDoor["enrol"]>[1] },
): Promise<Result<OwnerKey, SigningError>> {
  const { registry, vault, clock } = deps;
  const seed = deps.randomness.bytes(SEED_BYTES);
  const key = describeKey(deps, { seed, name });
  const added = await registry.add(key, actor);
  const put = added.ok ? await vault.put(SIGNING_KEY_REF, seed) : added;
  seed.fill(0);
  if (put.ok) return ok(key);
  // Its private half exists nowhere, so the key is taken out of use again.
  if (added.ok) await registry.revoke({ keyId: key.keyId, at: clock.now(), actor: SYSTEM, lastKey: "revoke" });
  return put;
}

function describeKey(
  { clock }: KeysDoorDeps,
  { seed, name }: { readonly seed: Uint8Array; readonly name: string },
): OwnerKey {
  const publicKey = publicKeyOf(seed);
  const enrolledAt = clock.now();
  const keyId = keyIdOf(publicKey);
  return { keyId, publicKey, name, kind: "vault", sessionId: null, enrolledAt, revokedAt: null, lastUsedAt: null };
}

async function report(deps: KeysDoorDeps, actor: Parameters<KeysDoor["report"]>[0]): Promise<KeysReport> {
  const vault = await deps.vault.status();
  const bytes = Buffer.concat([Buffer.from("silas-selftest-v1\n"), deps.randomness.bytes(32)]);
  const signed = await deps.signer.sign(bytes, { purpose: "self_test", actor });
  const checked = signed.ok ? await verifySigned(deps.registry, { ...signed.value, bytes }) : err(signed.error);
  return {
    vault,
    offRecord: await keysOffRecord(deps),
    signing: checked.ok
      ? { state: "ready", keyId: checked.value.keyId }
      : { state: "refused", code: checked.error.code },
  };
}

/** Keys of which the registry says something else than the audit chain. A store that fails shows in the signing. */
async function keysOffRecord({ registry }: KeysDoorDeps): Promise<readonly KeyId[]> {
  const listed = await registry.list();
  const off: KeyId[] = [];
  for (const key of listed.ok ? listed.value : []) {
    const told = await registry.onRecord(key);
    const said = key.revokedAt === null ? "enrolled" : "revoked";
    if (told.ok && told.value !== said) off.push(key.keyId);
  }
  return off;
}
