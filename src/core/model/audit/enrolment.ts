import type { KeyId, OwnerKey, OwnerSignature } from "../keys.ts";

/** A key with what the audit chain holds of its enrolment. */
export type EnrolledKey = {
  readonly key: OwnerKey;
  /** Who signed the enrolment, and the entry that carries the signature; null for an enrolment that was never signed. */
  readonly signed: (OwnerSignature & { readonly seq: number }) | null;
  readonly revokedSeq: number | null;
};

/** The two keys that need nobody else to vouch for them, and all others by their id. */
export type EnrolmentFacts = {
  /** The key of the first signed enrolment in the chain. */
  readonly rootKeyId: KeyId | null;
  /** The key in the vault, where it was asked. */
  readonly vaultKeyId: KeyId | null;
  find(keyId: KeyId): EnrolledKey | null;
};
