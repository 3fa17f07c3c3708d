import { isTurnOver, type AuditDraft, type KeptMessage, type Turn, type TurnChange } from "#model";

/** The rows and the audit entries of the turn store. */

const SYSTEM = { kind: "system" } as const;

/** An end is recorded; what comes before it says so by what leaves for the model. */
export function movedDrafts({ turn, at }: TurnChange): readonly AuditDraft[] {
  const { messageId, state, taint, plan, failure } = turn;
  if (state === "ended") {
    const data = { message_id: messageId, taint: taint ?? "external", request_id: plan?.request_id ?? null } as const;
    return [{ event: "turn_ended", data, at, actor: SYSTEM }];
  }
  if (state !== "failed" || failure === null) return [];
  return [{ event: "turn_failed", data: { message_id: messageId, reason: failure }, at, actor: SYSTEM }];
}

/** What has ended moves no further, and nobody moves it from where it is not. */
export const mayMove = (kept: Turn, { from }: TurnChange): boolean => kept.state === from && !isTurnOver(kept);

type Beginning = { readonly message: Pick<KeptMessage, "messageId" | "scopeId">; readonly turnNumber: number };

export const newTurn = (
  { message: { messageId, scopeId }, turnNumber }: Beginning,
  beganAt: Turn["beganAt"],
): Turn => ({
  messageId,
  scopeId,
  turnNumber,
  state: "waiting",
  beganAt,
  askedAt: null,
  endedAt: null,
  answer: null,
  reply: null,
  taint: null,
  leftOut: [],
  tokensUsed: 0,
  plan: null,
  failure: null,
});
