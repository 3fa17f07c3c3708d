import { msOfInstant, type Instant } from "#base";
import type { Suggestion } from "#model";
import type { Idea } from "./suggest.ts";

export type SuggestLimits = {
  readonly dedupeMs: number;
  readonly cooldownMs: number;
  readonly pendingMax: number;
  readonly perHour: number;
};
type Admitting = {
  readonly ideas: readonly Idea[];
  /** What waits, what was said lately, and everything the owner wants to hear no more of. */
  readonly kept: readonly Suggestion[];
  readonly at: Instant;
  readonly limits: SuggestLimits;
};

const HOUR_MS = 3_600_000;

/** Which of the ideas are said now; the others may be thought of again at the next look. [SUGG-06] [SUGG-09] [LIM-05] */
export function admitIdeas({ ideas, kept, at, limits }: Admitting): readonly Idea[] {
  const nowMs = msOfInstant(at);
  const pending = kept.filter(({ state }) => state === "pending").length;
  const lately = kept.filter(({ createdAt }) => nowMs - msOfInstant(createdAt) < HOUR_MS).length;
  const room = Math.max(0, Math.min(limits.pendingMax - pending, limits.perHour - lately));
  const said = (idea: Idea) => kept.filter(({ cooldownKey }) => cooldownKey === idea.cooldownKey);
  return ideas.filter((idea) => said(idea).every((one) => mayRepeat(one, { nowMs, limits }))).slice(0, room);
}

type Now = { readonly nowMs: number; readonly limits: SuggestLimits };

/** The later end of both counts: the window since it was said, and the quiet after it was answered. */
function mayRepeat({ state, offer, createdAt, handledAt }: Suggestion, { nowMs, limits }: Now): boolean {
  if (state === "pending" || state === "dismissed") return false;
  // Nothing here sees what came of the words, so taking them up is the end of it.
  if (offer === "next_step" && state === "accepted") return false;
  const isFresh = nowMs - msOfInstant(createdAt) < limits.dedupeMs;
  // That it expired was nobody's answer, so no quiet follows from it.
  const isQuiet = state !== "expired" && handledAt !== null && nowMs - msOfInstant(handledAt) < limits.cooldownMs;
  return !isFresh && !isQuiet;
}

/** What waits and would not be said any more: its reason is gone. */
export function staleSuggestions(kept: readonly Suggestion[], ideas: readonly Idea[]): readonly Suggestion[] {
  const keys = new Set(ideas.map(({ cooldownKey }) => cooldownKey));
  return kept.filter(({ state, cooldownKey }) => state === "pending" && !keys.has(cooldownKey));
}
