import type { AuditActor, AuditDraft, SkippedTimes, Suggestion, SuggestionOutcome } from "#model";
import type { HandledSuggestion } from "#ports";

/** What the store of suggestions records of each change. */

const SYSTEM: AuditActor = { kind: "system" };
const about = ({ suggestionId, offer, proposedWorkItemId }: Suggestion) => ({
  suggestion_id: suggestionId,
  offer,
  work_item_id: proposedWorkItemId,
});

export const madeDraft = (made: Suggestion): AuditDraft => ({
  event: "suggestion_made",
  data: { ...about(made), source: made.source, risk: made.riskLevel },
  at: made.createdAt,
  actor: SYSTEM,
});

type Answered = Pick<HandledSuggestion, "requestId" | "at" | "actor"> & { readonly outcome: SuggestionOutcome };

export const answeredDraft = (kept: Suggestion, { outcome, requestId, at, actor }: Answered): AuditDraft => ({
  event: "suggestion_answered",
  data: { ...about(kept), outcome, request_id: requestId },
  at,
  actor,
});

export const expiredDraft = (kept: Suggestion, at: AuditDraft["at"]): AuditDraft => ({
  event: "suggestion_expired",
  data: about(kept),
  at,
  actor: SYSTEM,
});

export const skippedDraft = ({ count, since, until }: SkippedTimes, at: AuditDraft["at"]): AuditDraft => ({
  event: "suggestion_looks_skipped",
  data: { count, since, until },
  at,
  actor: SYSTEM,
});

/** As it stands once somebody answered. */
export const answeredAs = (kept: Suggestion, { outcome, requestId, at, actor }: Answered): Suggestion => ({
  ...kept,
  state: outcome,
  handledAt: at,
  handledBy: actor.kind === "owner" || actor.kind === "terminal" ? actor.kind : "system",
  requestId,
});

export const expiredAs = (kept: Suggestion, at: AuditDraft["at"]): Suggestion => ({
  ...kept,
  state: "expired",
  handledAt: at,
});
