/** Secrets: the vault that keeps them, what is asked for, and what a surface may do with them. */
import type { Instant, Result } from "#base";
import type {
  ActBy,
  AskedSecret,
  AuditActor,
  ListedSecret,
  SecretInput,
  SecretMissing,
  SecretRef,
  SecretScan,
  SecureInputCompleted,
  SecureInputRefusal,
  SecureInputRequest,
  StoreFault,
  VaultFault,
  VaultPlace,
  VaultStatus,
  WantedSecret,
} from "#model";

/** Secrets by reference. A fault means that nothing was read or written, and no other place is tried. [KEY-05] */
export interface Vault {
  status(): Promise<VaultStatus>;
  /** Keeps a copy; the caller may overwrite its own. */
  put(ref: SecretRef, secret: Uint8Array): Promise<Result<void, VaultFault>>;
  /** The caller's own copy, to be overwritten after use. */
  get(ref: SecretRef): Promise<Result<Uint8Array, SecretMissing | VaultFault>>;
  remove(ref: SecretRef): Promise<Result<void, VaultFault>>;
  /** References only, in order. */
  list(): Promise<Result<readonly SecretRef[], VaultFault>>;
}

/** Secrets that are asked for, in `silas.db`, and never a secret. Each change commits together with its audit entry. */
export interface SecureInputStore {
  /** What waits already is not asked for again: the answer is the request that waits. */
  ask(request: SecureInputRequest): Promise<Result<AskedSecret, SecureInputRefusal | StoreFault>>;
  /** Oldest first, with the states of this moment. */
  list(at: Instant): Promise<Result<readonly SecureInputRequest[], StoreFault>>;
  /** The request that waits for this secret, or why none does. */
  find(ref: SecretRef, at: Instant): Promise<Result<SecureInputRequest, SecureInputRefusal | StoreFault>>;
  /** Only once the vault has it. Of two at the same moment one gets through. [SECRET-07] */
  fulfil(ref: SecretRef, by: ActBy): Promise<Result<void, SecureInputRefusal | StoreFault>>;
  /** Forgets the request and records that the secret is gone. */
  remove(ref: SecretRef, by: ActBy): Promise<Result<void, StoreFault>>;
}

/** What the terminal and a channel may do with secrets: put them in, and never get one out. [SECRET-12] */
export interface SecretsDoor {
  ask(wanted: WantedSecret, actor: AuditActor): Promise<Result<AskedSecret, SecureInputRefusal | StoreFault>>;
  pending(): Promise<Result<readonly SecureInputRequest[], StoreFault>>;
  list(): Promise<Result<readonly ListedSecret[], VaultFault>>;
  /** Puts what was asked for into the vault. The given bytes are overwritten, whatever comes of it. [SECRET-09] */
  store(input: SecretInput): Promise<Result<SecureInputCompleted, SecureInputRefusal | VaultFault>>;
  remove(ref: SecretRef, actor: AuditActor): Promise<Result<void, SecureInputRefusal | VaultFault>>;
  vault(): Promise<VaultPlace>;
}

/** Looks for passwords and keys in a text that is to be stored. */
export type FindSecrets = (text: string) => Promise<SecretScan>;
