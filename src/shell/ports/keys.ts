/** The owner's keys: where they are kept, and what signs with them. */
import type { Instant, Result, Sha256Hex } from "#base";
import type {
  AuditActor,
  ChainBroken,
  HeadKey,
  KeyError,
  KeyId,
  KeysReport,
  OwnerKey,
  OwnerSignature,
  SigningError,
  StoreFault,
  VerifiedBy,
} from "#model";

/**
 * The owner's public keys, in `silas.db`; each change commits together with its audit entry. Rows are never removed: an
 * old signature names the key that made it.
 */
export interface KeyRegistry {
  /** A device has one key in use: one it had before is revoked by the same commit. */
  add(key: OwnerKey, by: KeyEnrolling): Promise<Result<void, KeyError | StoreFault>>;
  /** Records that the vault vouches for keys that were enrolled before enrolments were signed, in this order. */
  countersign(keys: readonly CountersignedKey[], by: Countersigning): Promise<Result<void, KeyError | StoreFault>>;
  /** The key that vouches for all others: that of the first signed enrolment; null while there is none. */
  root(): Promise<Result<KeyId | null, StoreFault>>;
  /** The vault vouches for the key it holds, for as long as this process lives. */
  trustVaultKey(keyId: KeyId): void;
  find(keyId: KeyId): Promise<Result<OwnerKey | null, StoreFault>>;
  /** The standing of this row by the audit chain. A key that no other key vouches for is unknown. */
  onRecord(key: OwnerKey): Promise<Result<KeyRecord, StoreFault>>;
  list(): Promise<Result<readonly OwnerKey[], StoreFault>>;
  /** Comes before the signature: a use that is not recorded does not happen, nor one of a key that is not in use. */
  recordUse(keyId: KeyId, use: RecordedUse): Promise<Result<void, KeyError | StoreFault>>;
  revoke(revocation: KeyRevocation): Promise<Result<OwnerKey, KeyError | StoreFault>>;
}
export type KeyRecord = "enrolled" | "revoked" | "unknown";
/** `signed`: the signature of a key in use over the enrolment; the first key signs for itself. */
export type KeyEnrolling = { readonly actor: AuditActor; readonly signed: OwnerSignature };
export type CountersignedKey = { readonly key: OwnerKey; readonly signed: OwnerSignature };
export type Countersigning = { readonly at: Instant; readonly actor: AuditActor };
type KeyUse = {
  readonly purpose: "approval" | "file" | "key" | "message" | "self_test";
  readonly actor: AuditActor;
};
export type RecordedUse = KeyUse & { readonly at: Instant };
export type KeyRevocation = {
  readonly keyId: KeyId;
  readonly at: Instant;
  readonly actor: AuditActor;
  /** What to do when no other key would be left. */
  readonly lastKey: "refuse" | "revoke";
};

/** Signs with the key in the vault. What it is given must say by its own first bytes what kind of statement it is. */
export interface Signer {
  /** The key that signs now; a statement that names its key is made with it. */
  current(): Promise<Result<OwnerKey, SigningError>>;
  sign(bytes: Uint8Array, use: KeyUse): Promise<Result<OwnerSignature, SigningError>>;
  /** The key for one head of the audit chain. The checkpoint's own entry names it: that is the record of this use. */
  headKey(): Promise<Result<HeadKey, SigningError>>;
}

/** What the terminal and a channel may do with the owner's keys. It cannot be made to sign bytes of a caller's choice. */
export interface KeysDoor {
  /** Makes the first signing key when there is none, and otherwise vouches for those there are; answers what was made. */
  prepare(): Promise<Result<OwnerKey | null, SigningError | ChainBroken>>;
  /** Has the vault vouch for the keys that the audit chain alone does not vouch for. */
  vouch(): Promise<Result<void, SigningError | ChainBroken>>;
  list(): Promise<Result<readonly OwnerKey[], StoreFault>>;
  /** A new signing key; the one before stays good for checking until it is revoked. */
  enrol(name: string, actor: AuditActor): Promise<Result<OwnerKey, SigningError>>;
  revoke(revocation: Omit<KeyRevocation, "at">): Promise<Result<OwnerKey, KeyError | StoreFault>>;
  signFile(sha256: Sha256Hex, actor: AuditActor): Promise<Result<OwnerSignature, SigningError>>;
  verifyFile(claim: FileClaim): Promise<Result<VerifiedBy, KeyError | StoreFault>>;
  /** Makes and checks a signature that says nothing. */
  report(actor: AuditActor): Promise<KeysReport>;
}
type FileClaim = { readonly sha256: Sha256Hex; readonly keyId: KeyId; readonly signature: string };
