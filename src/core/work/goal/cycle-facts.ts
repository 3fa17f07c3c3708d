import type { Instant } from "#base";
import type { CheckResult, Cycle, CycleTrigger, FoundItems, WorkItem } from "#model";
import type { SkillFact } from "../plan-hash.ts";

/** What of an approved goal a cycle needs; read from the stored request, never from an earlier cycle. */
type CycleGoal = {
  readonly item: WorkItem;
  /** The approval it was read from. */
  readonly requestId: string;
  /** The versions of its skills that were approved with it. */
  readonly skills?: readonly SkillFact[];
};

export type CycleBeginning = {
  readonly goal: CycleGoal;
  readonly number: number;
  readonly trigger: CycleTrigger;
  readonly due: Instant | null;
  readonly skipped: number;
  /** The cycle before it, whatever its approval; null for the first. */
  readonly previous: Cycle | null;
  readonly at: Instant;
};

/** Each says when it was seen. */
export type CycleFact = { readonly at: Instant } &
  /** `runId` is fresh: the attempt that a repair would run as. */
  (
    | { readonly kind: "checks_ran"; readonly results: readonly CheckResult[]; readonly runId: string }
    /** No check was run at all: the approval of the goal does not hold, or no sandbox can be opened. */
    | { readonly kind: "checks_refused"; readonly code: string }
    /** The standing approval was used for the repair, or the first reason why it was not. */
    | { readonly kind: "standing_used"; readonly tokenId: string }
    | { readonly kind: "standing_refused"; readonly code: string }
    | { readonly kind: "asked"; readonly requestId: string }
    | { readonly kind: "ask_refused"; readonly code: string }
    | { readonly kind: "approved"; readonly runId: string; readonly tokenId: string }
    | { readonly kind: "declined" }
    | { readonly kind: "expired" }
    | { readonly kind: "repair_ended"; readonly status: string }
    /** What was found is kept, and asked about or waits to be. */
    | { readonly kind: "items_found"; readonly found: FoundItems }
    | { readonly kind: "items_refused"; readonly code: string }
  );

export type CycleEvent =
  /** Which checks failed, by their place in the plan. */
  | { readonly kind: "goal_checked"; readonly checks: number; readonly failed: readonly number[] }
  | { readonly kind: "goal_repair_made" }
  | { readonly kind: "goal_asked" }
  | { readonly kind: "goal_items_asked" }
  | { readonly kind: "goal_cycle_ended" };

/** Performed one after the other; each but `record` is answered by one fact. */
export type CycleEffect =
  | { readonly kind: "run_checks" }
  /** Looks for items of a reviewed batch, and asks about what was not asked before. Asking twice asks once. */
  | { readonly kind: "find_items" }
  | { readonly kind: "record"; readonly cycle: Cycle; readonly events: readonly CycleEvent[] }
  | { readonly kind: "spend_standing" }
  | { readonly kind: "ask_owner" }
  | { readonly kind: "await_decision" }
  | { readonly kind: "run_repair" };

export type CycleState = {
  readonly goal: CycleGoal;
  readonly cycle: Cycle;
  /** `checking` and `finding` are not kept: a cycle that ended there never was. */
  readonly phase: "checking" | "finding" | Cycle["state"];
  readonly previous: Cycle | null;
};
export type CycleAdvance = { readonly state: CycleState; readonly effects: readonly CycleEffect[] };
