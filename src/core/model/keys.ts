import * as z from "zod/mini";
import { assert, canonicalJson, type Brand, type Instant } from "#base";
import type { StoreFault } from "./journal-errors.ts";
import { branded, digestSchema, nameSchema, maxLength } from "./values.ts";

/** The first 16 bytes of the SHA-256 of a raw public key, as lower-case hex. */
export type KeyId = Brand<string, "KeyId">;
/** An Ed25519 public key: 32 bytes as lower-case hex. */
export type PublicKeyHex = Brand<string, "PublicKeyHex">;
/** An Ed25519 signature: 64 bytes as lower-case hex. */
export type SignatureHex = Brand<string, "SignatureHex">;
/** The name of a secret in the vault. Everything but the vault knows secrets only by it. [SECRET-04] */
export type SecretRef = Brand<string, "SecretRef">;
/** Under which the vault holds the private half of the key that this machine signs with. */
export const SIGNING_KEY_NAME = "owner-signing-key";

/** Where the private half is: in the vault of this machine, or in a browser that never gives it away. */
type KeyKind = "vault" | "browser";

export type OwnerKey = {
  readonly keyId: KeyId;
  readonly publicKey: PublicKeyHex;
  readonly name: string;
  readonly kind: KeyKind;
  /** The signed-in device a browser key belongs to; null for a key of the vault. */
  readonly sessionId: string | null;
  readonly enrolledAt: Instant;
  readonly revokedAt: Instant | null;
  readonly lastUsedAt: Instant | null;
};

/** The bytes that vouch for a key: the whole row, so that no part of it can be changed afterwards. [KEY-01] */
export function enrolmentStatement(key: OwnerKey): string {
  const { enrolledAt, keyId, kind, name, publicKey, sessionId } = key;
  const text = canonicalJson({
    enrolled_at: enrolledAt,
    key_id: keyId,
    kind,
    name,
    public_key: publicKey,
    session_id: sessionId,
  });
  assert(text.ok, "a key has canonical bytes");
  return `silas-key-v1\n${text.value}`;
}

export type OwnerSignature = { readonly keyId: KeyId; readonly signature: SignatureHex };
export type VerifiedBy = { readonly keyId: KeyId; readonly name: string };

export type VaultStatus = {
  readonly backend: "secret_service" | "encrypted_file";
  /** What opens the encrypted file; null for the secret service, which asks by itself. */
  readonly opensWith: "passphrase" | "key_file" | null;
  /** `empty` before the first secret; a fault's code when nothing can be read or written. */
  readonly state: "unlocked" | "empty" | VaultFault["code"];
};

/** Why a secret could not be read or written. Nothing was changed, and nothing else is tried instead. [KEY-05] */
export type VaultFault =
  | { readonly code: "vault_locked"; readonly retryable: false; readonly missing: "passphrase" | "key_file" }
  | { readonly code: "vault_wrong_key"; readonly retryable: false }
  | { readonly code: "vault_damaged"; readonly retryable: false; readonly reason: string }
  | { readonly code: "vault_unavailable"; readonly retryable: true; readonly cause?: unknown }
  | { readonly code: "vault_full"; readonly retryable: false }
  | StoreFault;
export type SecretMissing = { readonly code: "secret_missing"; readonly ref: SecretRef };

type SignatureProblem = "empty" | "wrong_length" | "not_hex" | "does_not_match";
export type KeyError =
  | { readonly code: "key_unknown"; readonly keyId: string }
  | { readonly code: "key_revoked"; readonly keyId: KeyId }
  | { readonly code: "last_key"; readonly keyId: KeyId }
  | { readonly code: "signer_not_enrolled"; readonly keyId: KeyId }
  | { readonly code: "device_signed_out"; readonly sessionId: string }
  | { readonly code: "public_key_invalid" }
  | { readonly code: "signature_invalid"; readonly reason: SignatureProblem };
export type SigningError = KeyError | SecretMissing | VaultFault;

/** What the keys of this installation can do now: the vault, and one signature made and checked for the purpose. */
export type KeysReport = {
  readonly vault: VaultStatus;
  /** Keys of which the audit chain tells something else; their signatures do not count. */
  readonly offRecord: readonly KeyId[];
  readonly signing:
    | { readonly state: "ready"; readonly keyId: KeyId }
    | { readonly state: "refused"; readonly code: SigningError["code"] };
};

export const keyIdSchema = branded<KeyId>(/^[0-9a-f]{32}$/);
export const publicKeySchema = branded<PublicKeyHex>(/^[0-9a-f]{64}$/);
export const secretRefSchema = branded<SecretRef>(/^[a-z0-9][a-z0-9._-]{0,127}$/);

export const enrolKeySchema = z.strictObject({ name: nameSchema });
/** `last_key` says in words that nothing can be signed afterwards. */
export const revokeKeySchema = z.strictObject({ key_id: keyIdSchema, last_key: z.enum(["refuse", "revoke"]) });
export const signFileSchema = z.strictObject({ sha256: digestSchema });
/** The signature is text of any shape: a wrong one is an answer, not a malformed request. [KEY-03] */
export const verifyFileSchema = z.strictObject({
  sha256: digestSchema,
  key_id: keyIdSchema,
  signature: z.string().check(maxLength(1024)),
});

/** A key as programs and the page see it. */
export type OwnerKeyBody = {
  readonly key_id: string;
  readonly public_key: string;
  readonly name: string;
  readonly kind: string;
  readonly session_id: string | null;
  readonly enrolled_at: string;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
};

export const ownerKeyToWire = (key: OwnerKey): OwnerKeyBody => ({
  key_id: key.keyId,
  public_key: key.publicKey,
  name: key.name,
  kind: key.kind,
  session_id: key.sessionId,
  enrolled_at: key.enrolledAt,
  revoked_at: key.revokedAt,
  last_used_at: key.lastUsedAt,
});

/** For bodies and rows that Silas wrote itself. */
export const ownerKeyFromWire = (body: OwnerKeyBody): OwnerKey => ({
  keyId: body.key_id as KeyId,
  publicKey: body.public_key as PublicKeyHex,
  name: body.name,
  kind: body.kind as KeyKind,
  sessionId: body.session_id,
  enrolledAt: body.enrolled_at as Instant,
  revokedAt: body.revoked_at as Instant | null,
  lastUsedAt: body.last_used_at as Instant | null,
});
