import type { Instant } from "#base";
import type { LimitChange, LimitKey } from "./limits.ts";

/** What decisions are counted by. Each family is judged by its own, and argues for its own limits alone. [AUTO-06] */
export const ACTION_FAMILIES = ["move_files", "goal_repairs"] as const;
export type ActionFamily = (typeof ACTION_FAMILIES)[number];

export const OUTCOMES = ["approved", "edit_selection", "declined", "undo"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One action that was decided, and what became of it. Nobody's decision is none. */
export type DecidedAction = { readonly outcome: Outcome; readonly at: Instant };

/** The limits whose change the decisions of a family argue for, in the order they stand on a card. */
export const LIMITS_OF_FAMILY: { readonly [F in ActionFamily]: readonly LimitKey[] } = {
  move_files: ["batch_review.default_size", "batch_review.confidence.high_min"],
  goal_repairs: ["standing.max_executions", "standing.expires_at"],
};

/** The one family these changes belong to; null when they belong to none, or to several. */
export function familyOf(changes: readonly Pick<LimitChange, "key">[]): ActionFamily | null {
  const families = new Set(changes.map(({ key }) => (key.startsWith("standing.") ? "goal_repairs" : "move_files")));
  const [family] = families;
  return family === undefined || families.size > 1 ? null : family;
}

export const FAMILY_WORDS: { readonly [F in ActionFamily]: string } = {
  move_files: "batches of files",
  goal_repairs: "repairs of goals",
};

export const LIMIT_WORDS: { readonly [K in LimitKey]: string } = {
  "standing.scope": "what a standing approval is used for",
  "standing.max_executions": "how often one standing approval is used",
  "standing.expires_at": "how long one standing approval is used",
  "batch_review.default_size": "how many items one batch has",
  "batch_review.confidence.high_min": "how sure Silas must be to put an item into a batch",
};
