import type { Instant } from "#base";
import type { AuditActor, AuditDraft, Passkey } from "#model";
import type { PasskeyUse } from "#ports";

/** The audit entries of passkeys. */
export const addedDraft = (passkey: Passkey, actor: AuditActor): AuditDraft => ({
  event: "passkey_added",
  data: namesOf(passkey),
  at: passkey.createdAt,
  actor,
});

export const usedDraft = (passkey: Passkey, { purpose, at, actor }: PasskeyUse): AuditDraft => ({
  event: "passkey_used",
  data: { passkey_id: passkey.passkeyId, session_id: passkey.sessionId, purpose },
  at,
  actor,
});

type By = { readonly at: Instant; readonly actor: AuditActor };

export const removedDraft = (passkey: Passkey, { at, actor }: By): AuditDraft => ({
  event: "passkey_removed",
  data: namesOf(passkey),
  at,
  actor,
});

const namesOf = ({ passkeyId, name, sessionId }: Passkey) => ({
  passkey_id: passkeyId,
  passkey_name: name,
  session_id: sessionId,
});
