import { oneLine } from "#base";

/** Why something about a goal was not done. */
export type GoalRefusal =
  | { readonly code: "goal_unknown"; readonly goalId: string }
  /** One cycle of a goal at a time: it is being checked or repaired, or waits for the owner. */
  | { readonly code: "goal_busy"; readonly goalId: string }
  | { readonly code: "goal_paused"; readonly goalId: string }
  | { readonly code: "goal_not_paused"; readonly goalId: string }
  /** Nothing is asked about checks that were missed, or somebody decided before. */
  | { readonly code: "goal_nothing_missed"; readonly goalId: string };

type Said = { readonly what: string; readonly kept: string; readonly next: string };
type Table = { readonly [C in GoalRefusal["code"]]: (error: Extract<GoalRefusal, { readonly code: C }>) => Said };

export const GOAL_WORDS: Table = {
  goal_unknown: ({ goalId }) => ({
    what: `There is no goal ${oneLine(goalId)}.`,
    kept: "Nothing was changed.",
    next: "`silas goals` shows the goals that were approved.",
  }),
  goal_busy: ({ goalId }) => ({
    what: `${oneLine(goalId)} is being checked or repaired, or waits for your decision.`,
    kept: "It goes on; nothing was begun beside it.",
    next: "`silas goals show` says what it waits for.",
  }),
  goal_paused: ({ goalId }) => ({
    what: `${oneLine(goalId)} is paused.`,
    kept: "Nothing of it runs.",
    next: "`silas goals resume` lets it go on.",
  }),
  goal_not_paused: ({ goalId }) => ({
    what: `${oneLine(goalId)} is not paused.`,
    kept: "It goes on as before.",
    next: "",
  }),
  goal_nothing_missed: ({ goalId }) => ({
    what: `${oneLine(goalId)} does not ask about checks that were missed.`,
    kept: "It goes on as before.",
    next: "`silas goals show` says how it stands.",
  }),
};
