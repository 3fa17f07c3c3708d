import type { Instant } from "#base";
import type { DecidedAction, KeptRequest } from "#model";

/** An outcome of a batch as the chain tells it, beside the request it is about. */
export type BatchOutcome = {
  readonly requestId: string;
  readonly outcome: string;
  readonly at: Instant;
  readonly actor: string;
  readonly state: KeptRequest["state"];
  /** How the request ended in whose place this one is asked; null when it is asked in nobody's. */
  readonly before: KeptRequest["state"] | null;
  readonly action: string | null;
  readonly batchId: string | null;
};

/**
 * One action for each batch that was proposed, newest first. What was chosen from a batch or from a question is no action
 * of its own, because it was the person who proposed it; a way back that was proposed later counts as what it is. An entry
 * that its request does not bear out is no evidence. [AUTO-06]
 */
export function batchActions(entries: readonly BatchOutcome[]): readonly DecidedAction[] {
  const seen = new Set<string>();
  return entries.flatMap((entry): readonly DecidedAction[] => {
    if (entry.action !== "move_files" || entry.actor === "system" || seen.has(entry.requestId)) return [];
    if (entry.before === "declined" || STATE_AFTER[entry.outcome] !== entry.state) return [];
    seen.add(entry.requestId);
    const outcome = OUTCOME_WORDS[entry.outcome];
    if (outcome === undefined) return [];
    if (entry.batchId?.endsWith(".back") !== true) return [{ outcome, at: entry.at }];
    return outcome === "approved" ? [{ outcome: "undo", at: entry.at }] : [];
  });
}

const STATE_AFTER: { readonly [outcome: string]: KeptRequest["state"] } = {
  approved: "approved",
  undone: "approved",
  declined: "declined",
  edited: "declined",
};
const OUTCOME_WORDS: { readonly [outcome: string]: DecidedAction["outcome"] } = {
  approved: "approved",
  undone: "undo",
  declined: "declined",
  edited: "edit_selection",
};

/** A repair that a person was asked about. */
type AskedRepair = Pick<KeptRequest, "state" | "decidedAt" | "decidedBy">;

/** Nobody's decision is none: what expired or still waits counts for nothing. */
export function repairActions(asked: readonly AskedRepair[]): readonly DecidedAction[] {
  return asked.flatMap(({ state, decidedAt, decidedBy }): readonly DecidedAction[] => {
    if (decidedAt === null || decidedBy === null || decidedBy.kind === "system") return [];
    return state === "approved" || state === "declined" ? [{ outcome: state, at: decidedAt }] : [];
  });
}
