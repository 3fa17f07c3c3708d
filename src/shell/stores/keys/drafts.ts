import type { AuditDraft, KeyId, OwnerKey } from "#model";
import type { Countersigning, KeyEnrolling, KeyRevocation, RecordedUse } from "#ports";

/** The entries of the audit chain about the owner's keys. */

export const enrolledDraft = (key: OwnerKey, { actor, signed }: KeyEnrolling): AuditDraft => ({
  event: "key_enrolled",
  data: { ...enrolmentOf(key), signed_by: signed.keyId, signature: signed.signature },
  at: key.enrolledAt,
  actor,
});

export const countersignedDraft = (
  key: OwnerKey,
  { at, actor, signed }: Countersigning & Pick<KeyEnrolling, "signed">,
): AuditDraft => ({
  event: "key_enrolled",
  data: { ...enrolmentOf(key), signed_by: signed.keyId, signature: signed.signature, countersigned: true },
  at,
  actor,
});

const enrolmentOf = ({ keyId, name, sessionId }: OwnerKey) => ({
  key_id: keyId,
  key_name: name,
  ...(sessionId === null ? {} : { session_id: sessionId }),
});

export const usedDraft = (keyId: KeyId, { purpose, at, actor }: RecordedUse): AuditDraft => ({
  event: "key_used",
  data: { key_id: keyId, purpose },
  at,
  actor,
});

export const revokedDraft = (
  { keyId, name }: OwnerKey,
  { at, actor }: Pick<KeyRevocation, "at" | "actor">,
): AuditDraft => ({
  event: "key_revoked",
  data: { key_id: keyId, key_name: name },
  at,
  actor,
});
