import { err, ok, type Result } from "#base";
import {
  headStatement,
  SIGNING_KEY_NAME,
  secretRefSchema,
  type HeadKey,
  type KeyError,
  type OwnerKey,
  type SecretRef,
  type SigningError,
  type StoreFault,
} from "#model";
import type { Clock, KeyRegistry, Signer, Vault } from "#ports";
import { keyIdOf, publicKeyOf, SEED_BYTES, signWith, verifyWith } from "./ed25519.ts";

export type SignerDeps = { readonly vault: Vault; readonly registry: KeyRegistry; readonly clock: Clock };

/** Where the private half of the signing key is, and the only place it ever is. */
export const SIGNING_KEY_REF: SecretRef = secretRefSchema.parse(SIGNING_KEY_NAME);

/**
 * Loads the key, signs, and overwrites it. INVARIANT: only an enrolled key that is not revoked signs, each use is
 * recorded before there is a signature, and when the vault refuses nothing else is tried. [KEY-02] [KEY-05]
 */
export function createSigner({ vault, registry, clock }: SignerDeps): Signer {
  return {
    current: async () => {
      const seed = await loadSeed(vault);
      if (!seed.ok) return seed;
      const keyId = keyIdOf(publicKeyOf(seed.value));
      seed.value.fill(0);
      return findEnrolled(registry, keyId);
    },
    sign: async (bytes, use) => {
      const seed = await loadSeed(vault);
      if (!seed.ok) return seed;
      try {
        const keyId = keyIdOf(publicKeyOf(seed.value));
        const enrolled = await findEnrolled(registry, keyId);
        if (!enrolled.ok) return enrolled;
        const recorded = await registry.recordUse(keyId, { ...use, at: clock.now() });
        return recorded.ok ? ok({ keyId, signature: signWith(seed.value, bytes) }) : recorded;
      } finally {
        seed.value.fill(0);
      }
    },
    headKey: () => loadHeadKey(vault, registry),
  };
}

/**
 * The one key that is held longer than for a signature: the head of the chain is known only inside the transaction that
 * makes it. The checkpoint names the key, which is the record of this use, so none is made here: it would stand behind
 * the head that it tells of.
 */
async function loadHeadKey(vault: Vault, registry: KeyRegistry): Promise<Result<HeadKey, SigningError>> {
  const seed = await loadSeed(vault);
  if (!seed.ok) return seed;
  const forget = () => void seed.value.fill(0);
  const enrolled = await findEnrolled(registry, keyIdOf(publicKeyOf(seed.value)));
  if (!enrolled.ok) {
    forget();
    return enrolled;
  }
  const { keyId } = enrolled.value;
  return ok({ keyId, sign: (head) => signWith(seed.value, Buffer.from(headStatement(head))), forget });
}

async function findEnrolled(
  registry: KeyRegistry,
  keyId: OwnerKey["keyId"],
): Promise<Result<OwnerKey, KeyError | StoreFault>> {
  const enrolled = await findUsable(registry, keyId);
  if (enrolled.ok || enrolled.error.code !== "key_unknown") return enrolled;
  return err({ code: "signer_not_enrolled", keyId });
}

/** The private half of the signing key; the caller overwrites it. */
export async function loadSeed(vault: Vault): Promise<Result<Uint8Array, SigningError>> {
  const seed = await vault.get(SIGNING_KEY_REF);
  if (!seed.ok || seed.value.length === SEED_BYTES) return seed;
  seed.value.fill(0);
  return err({ code: "vault_damaged", retryable: false, reason: "signing_key_has_another_length" });
}

/** An enrolled key that was not revoked, by its row and by the audit chain. */
async function findUsable(
  registry: KeyRegistry,
  keyId: OwnerKey["keyId"],
): Promise<Result<OwnerKey, KeyError | StoreFault>> {
  const found = await registry.find(keyId);
  if (!found.ok) return found;
  // A row whose id is not that of its key was changed behind our back, and is nobody's key.
  if (found.value === null || keyIdOf(found.value.publicKey) !== keyId) return err({ code: "key_unknown", keyId });
  if (found.value.revokedAt !== null) return err({ code: "key_revoked", keyId });
  // Nor does a row make a key that the chain does not know, or bring one back that it knows to be revoked.
  const told = await registry.onRecord(found.value);
  if (!told.ok) return told;
  if (told.value === "enrolled") return ok(found.value);
  return err({ code: told.value === "revoked" ? "key_revoked" : "key_unknown", keyId });
}

type SignedBytes = {
  readonly keyId: OwnerKey["keyId"];
  readonly bytes: Uint8Array;
  readonly signature: string;
};

/** Which of the owner's keys made a signature; a key that is unknown or revoked makes none that counts. [KEY-03] */
export async function verifySigned(
  registry: KeyRegistry,
  { keyId, bytes, signature }: SignedBytes,
): Promise<Result<OwnerKey, KeyError | StoreFault>> {
  const key = await findUsable(registry, keyId);
  if (!key.ok) return key;
  const verified = verifyWith(key.value.publicKey, { bytes, signature });
  return verified.ok ? key : verified;
}
