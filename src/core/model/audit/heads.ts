import { assert, canonicalJson, type Instant } from "#base";
import type { KeyId, OwnerKey, SignatureHex } from "../keys.ts";

/** What one of the owner's keys says about the chain: at that time this entry was its last, and the chain held. */
export type AuditHeadStatement = {
  readonly seq: number;
  readonly hash: string;
  readonly at: Instant;
  readonly checkpointId: string;
  readonly keyId: KeyId;
};

export type SignedHead = AuditHeadStatement & { readonly signature: string };

/** A head as it is kept beside the database; without a key where the vault was locked at the time. */
export type KeptHead = Omit<AuditHeadStatement, "keyId"> & {
  readonly keyId: KeyId | null;
  readonly signature: SignatureHex | null;
};

/** A key by what is needed to judge a head it signed. */
export type AuditHeadKey = Pick<OwnerKey, "keyId" | "publicKey" | "kind" | "enrolledAt" | "revokedAt">;

/** Loaded for one head: nothing else can be signed with it. */
export type HeadKey = {
  readonly keyId: KeyId;
  sign(head: AuditHeadStatement): SignatureHex;
  /** Overwrites the private half. */
  forget(): void;
};

/** How much of what was checked the owner's keys vouch for. */
export type HeadsSigned = {
  readonly headsSigned: number;
  /** Tampering from before this moment needs the owner's key; null when no head is signed. */
  readonly lastSignedAt: Instant | null;
};

/** The bytes of a head's signature. The first line says what kind of statement it is, so that it is never another. */
export function headStatement({ at, checkpointId, hash, keyId, seq }: AuditHeadStatement): string {
  return `silas-audit-head-v1\n${renderHeadBody({ at, checkpointId, hash, keyId, seq })}`;
}

/** The head in its canonical form, which is also how an export carries it. */
export function renderHeadBody({ at, checkpointId, hash, keyId, seq }: Omit<KeptHead, "signature">): string {
  const text = canonicalJson({ at, checkpoint_id: checkpointId, hash, key_id: keyId, seq });
  assert(text.ok, "a head has canonical bytes");
  return text.value;
}
