import { err, ok, type Result, type Sha256Hex } from "#base";
import {
  enrolmentStatement,
  type AuditActor,
  type ChainBroken,
  type KeyError,
  type KeyId,
  type KeysReport,
  type OwnerKey,
  type OwnerSignature,
  type SigningError,
} from "#model";
import type { AuditReader, KeysDoor, Randomness, Signer } from "#ports";
import { keyIdOf, publicKeyOf, SEED_BYTES, signWith, verifyWith } from "./ed25519.ts";
import { loadSeed, SIGNING_KEY_REF, verifySigned, type SignerDeps } from "./signer.ts";

type KeysDoorDeps = SignerDeps & {
  readonly signer: Signer;
  readonly randomness: Randomness;
  readonly audit: Pick<AuditReader, "verify">;
};

const SYSTEM = { kind: "system" } as const;
const FIRST_KEY_NAME = "This machine";

/** The owner's keys, for the terminal and for channels. */
export function createKeysDoor(deps: KeysDoorDeps): KeysDoor {
  const { registry, clock, signer } = deps;
  return {
    prepare: () => prepare(deps),
    vouch: () => vouch(deps),
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
async function prepare(deps: KeysDoorDeps): Promise<Result<OwnerKey | null, SigningError | ChainBroken>> {
  const { registry, vault } = deps;
  const listed = await registry.list();
  if (!listed.ok) return listed;
  if (listed.value.length > 0) {
    const vouched = await vouch(deps);
    return vouched.ok ? ok(null) : vouched;
  }
  const stored = await loadSeed(vault);
  if (!stored.ok && stored.error.code !== "secret_missing") return stored;
  const seed = stored.ok ? stored.value : deps.randomness.bytes(SEED_BYTES);
  try {
    const key = describeKey(deps, { seed, name: FIRST_KEY_NAME });
    const put = stored.ok ? ok() : await vault.put(SIGNING_KEY_REF, seed);
    if (!put.ok) return put;
    const added = await registry.add(key, { actor: SYSTEM, signed: signEnrolment(seed, key) });
    return added.ok ? ok(key) : added;
  } finally {
    seed.fill(0);
  }
}

/**
 * Where the chain alone cannot vouch for the keys, the vault does. Asking it may take a third of a second, so it is asked
 * only then: before the first signed enrolment, and where a key signed for itself after it.
 */
async function vouch(deps: KeysDoorDeps): Promise<Result<void, SigningError | ChainBroken>> {
  const { registry } = deps;
  const [listed, root] = [await registry.list(), await registry.root()];
  if (!listed.ok) return listed;
  if (!root.ok) return root;
  const keys = listed.value.filter(({ revokedAt }) => revokedAt === null);
  if (root.value === null) return keys.length === 0 ? ok() : countersign(deps, keys);
  for (const key of keys.filter(({ kind }) => kind === "vault")) {
    const standing = await registry.onRecord(key);
    if (!standing.ok) return standing;
    if (standing.value === "unknown") return trustVaultKey(deps);
  }
  return ok();
}

/**
 * Once, for keys from before enrolments were signed: the vault vouches for those that a verified chain enrolled. Its own
 * key comes first, for itself, and vouches for the others. Every later enrolment is signed when it is made.
 */
async function countersign(
  { registry, vault, audit, clock }: KeysDoorDeps,
  keys: readonly OwnerKey[],
): Promise<Result<void, SigningError | ChainBroken>> {
  const seed = await loadSeed(vault);
  if (!seed.ok) return seed;
  try {
    const ownId = keyIdOf(publicKeyOf(seed.value));
    const own = keys.find(({ keyId }) => keyId === ownId);
    if (own === undefined) return err({ code: "signer_not_enrolled", keyId: ownId });
    const verdict = await audit.verify("genesis");
    if (!verdict.ok) return verdict;
    if (!verdict.value.valid) return err({ code: "chain_broken", broken: verdict.value.broken });
    const ordered = [own, ...keys.filter((key) => key !== own)];
    const signed = ordered.map((key) => ({ key, signed: signEnrolment(seed.value, key) }));
    return await registry.countersign(signed, { at: clock.now(), actor: SYSTEM });
  } finally {
    seed.value.fill(0);
  }
}

/** A key that signed for itself after the first one counts for as long as the vault holds it. */
async function trustVaultKey({ registry, vault }: KeysDoorDeps): Promise<Result<void, SigningError>> {
  const seed = await loadSeed(vault);
  if (!seed.ok) return seed;
  registry.trustVaultKey(keyIdOf(publicKeyOf(seed.value)));
  seed.value.fill(0);
  return ok();
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
  try {
    const key = describeKey(deps, { seed, name });
    const signed = await signByKeyBefore(deps, { key, seed, actor });
    if (!signed.ok) return signed;
    const added = await registry.add(key, { actor, signed: signed.value });
    if (!added.ok) return added;
    const put = await vault.put(SIGNING_KEY_REF, seed);
    if (put.ok) {
      registry.trustVaultKey(key.keyId);
      return ok(key);
    }
    // Its private half exists nowhere, so the key is taken out of use again.
    await registry.revoke({ keyId: key.keyId, at: clock.now(), actor: SYSTEM, lastKey: "revoke" });
    return put;
  } finally {
    seed.fill(0);
  }
}

const NO_KEY_BEFORE: ReadonlySet<string> = new Set(["secret_missing", "signer_not_enrolled", "key_revoked"]);

/** Where the vault has lost its key, or that key no longer counts, the new one signs for itself: the vault vouches for it. */
async function signByKeyBefore(
  { signer }: KeysDoorDeps,
  { key, seed, actor }: { readonly key: OwnerKey; readonly seed: Uint8Array; readonly actor: AuditActor },
): Promise<Result<OwnerSignature, SigningError>> {
  const signed = await signer.sign(enrolmentBytes(key), { purpose: "key", actor });
  if (signed.ok || !NO_KEY_BEFORE.has(signed.error.code)) return signed;
  return ok(signEnrolment(seed, key));
}

export const enrolmentBytes = (key: OwnerKey): Uint8Array => Buffer.from(enrolmentStatement(key));

/** By the key that this seed is the private half of. */
const signEnrolment = (seed: Uint8Array, key: OwnerKey): OwnerSignature => ({
  keyId: keyIdOf(publicKeyOf(seed)),
  signature: signWith(seed, enrolmentBytes(key)),
});

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
