import {
  refusedClaim,
  type AuditActor,
  type AuditDraft,
  type Endorsing,
  type KeptMessage,
  type Settlement,
} from "#model";

/** The audit entries of the message store. */

/** That it came; and what was claimed about it and not believed. */
export function receivedDrafts(message: KeptMessage, actor: AuditActor): readonly AuditDraft[] {
  const { messageId, channel, taint, origin, signed, receivedAt: at } = message;
  const received: AuditDraft = {
    event: "message_received",
    data: { message_id: messageId, channel, taint, key_id: origin === "signature" ? (signed?.key_id ?? null) : null },
    at,
    actor,
  };
  const refused = refusedClaim(origin);
  if (refused === null || signed === null) return [received];
  const data = { message_id: messageId, key_id: signed.key_id, reason: origin };
  const event = refused === "replay" ? "message_replay_refused" : "message_signature_refused";
  return [received, { event, data, at, actor }];
}

/** What waits for a decision may still be decided, and nothing is asked for twice. */
export const isOpen = (message: KeptMessage, next: Settlement["state"]): boolean =>
  message.state === "received" || (message.state === "waiting" && next !== "waiting");

/** A message that went through is not recorded twice. */
export const settledDrafts = ({ messageId, state, at, actor }: Settlement): readonly AuditDraft[] =>
  state === "blocked" ? [{ event: "message_blocked", data: { message_id: messageId }, at, actor }] : [];

export const endorsedDraft = ({ messageId, tokenId, at, actor }: Endorsing): AuditDraft => ({
  event: "message_endorsed",
  data: { message_id: messageId, token_id: tokenId },
  at,
  actor,
});
