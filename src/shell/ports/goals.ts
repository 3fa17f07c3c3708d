/** Goals: what keeps them and their cycles, and what the terminal and a channel may do with them. */
import type { Instant, Result } from "#base";
import type {
  ApprovedGoal,
  AuditActor,
  Cycle,
  GoalDetail,
  GoalRefusal,
  GoalSummary,
  KeptGoal,
  MissedPolicy,
  StoreFault,
} from "#model";

/**
 * Goals and their cycles, in `silas.db`. Each change commits together with its audit entries.
 * INVARIANT: a goal has one open cycle at most, and what has ended stays as it ended.
 */
export interface GoalStore {
  /** The newest approval of each goal that was ever approved. */
  approved(): Promise<Result<readonly ApprovedGoal[], StoreFault>>;
  list(): Promise<Result<readonly KeptGoal[], StoreFault>>;
  find(goalId: string): Promise<Result<KeptGoal | null, StoreFault>>;
  /** Looks after a goal by this approval from now on; a pause stays. */
  schedule(scheduling: GoalScheduling): Promise<Result<void, StoreFault>>;
  /** Pauses it, or lets it go on. */
  pause(pausing: GoalPausing): Promise<Result<void, StoreFault>>;
  /** The owner was asked about checks that were missed, and leaves them. */
  leave(leaving: GoalLeaving): Promise<Result<void, StoreFault>>;
  /** Inside a transaction: times that pass without a cycle of their own. */
  note(noting: GoalNoting): void;
  /** A turn of a cycle, or the whole of it. The first turn answers for checks that were missed. */
  keepCycle(change: CycleChange): Promise<Result<void, StoreFault>>;
  /** Cycles that have begun to repair and have not ended. */
  open(): Promise<Result<readonly Cycle[], StoreFault>>;
  lastCycle(goalId: string): Promise<Result<Cycle | null, StoreFault>>;
  /** Newest first. */
  cycles(goalId: string): Promise<Result<readonly Cycle[], StoreFault>>;
  /** The cycle whose repair runs as this attempt. */
  cycleOfRun(runId: string): Promise<Result<Cycle | null, StoreFault>>;
}

export type GoalScheduling = {
  readonly goal: ApprovedGoal;
  /** Null for a goal that is only checked when somebody asks. */
  readonly timer: GoalTimer | null;
  readonly at: Instant;
};
type GoalTimer = {
  readonly schedule: string;
  /** The zone its schedule is read in from now on, whatever the system's becomes. */
  readonly timeZone: string;
  readonly policy: MissedPolicy;
  readonly graceMs: number;
  readonly nextDue: Instant | null;
};
export type GoalPausing = {
  readonly goalId: string;
  readonly state: "paused" | "resumed";
  readonly nextDue: Instant | null;
  readonly at: Instant;
  readonly actor: AuditActor;
};
export type GoalLeaving = {
  readonly goalId: string;
  readonly count: number;
  readonly at: Instant;
  readonly actor: AuditActor;
};
/** What the chain says of times that pass. */
export type GoalNote =
  | {
      readonly kind: "goal_checks_skipped";
      readonly count: number;
      readonly since: Instant;
      readonly until: Instant;
      readonly reason: "missed" | "busy" | "asked";
    }
  | { readonly kind: "goal_replanned"; readonly plannedUntil: Instant };
export type GoalNoting = {
  readonly goalId: string;
  readonly missedCount: number;
  readonly notes: readonly GoalNote[];
  readonly at: Instant;
};

export type CycleNote =
  | { readonly kind: "goal_checked"; readonly checks: number; readonly failed: readonly number[] }
  | { readonly kind: "goal_repair_made" }
  | { readonly kind: "goal_asked" }
  | { readonly kind: "goal_items_asked" }
  | { readonly kind: "goal_cycle_ended" };
export type CycleChange = {
  readonly cycle: Cycle;
  readonly events: readonly CycleNote[];
  /** Whether this is its first turn. */
  readonly isFirst: boolean;
  readonly notes: readonly GoalNote[];
  readonly at: Instant;
  readonly actor: AuditActor;
};

/** When a schedule would be due next if it were approved now, and in which zone. */
export type TimesOf = (schedule: string | null) => Promise<ScheduleTimes>;
type ScheduleTimes = { readonly timeZone: string; readonly nextDue: Instant | null };

/** What the terminal and a channel may do with goals. Nobody adds one here: only an approval does. */
export interface GoalsDoor {
  list(): Promise<Result<readonly GoalSummary[], StoreFault>>;
  show(goalId: string): Promise<Result<GoalDetail, GoalRefusal | StoreFault>>;
  /** Looks at once. Answers when the checks have run: with the end, or with the repair that was begun or is asked for. */
  check(goalId: string, actor: AuditActor): Promise<Result<GoalDetail, GoalRefusal | StoreFault>>;
  /** Does not make up for the checks about which it asks. Nothing else is changed; `check` is the other answer. */
  leave(goalId: string, actor: AuditActor): Promise<Result<GoalDetail, GoalRefusal | StoreFault>>;
  /** Nothing more is due until it is resumed; a cycle that was begun goes on to its end. */
  pause(goalId: string, actor: AuditActor): Promise<Result<GoalDetail, GoalRefusal | StoreFault>>;
  resume(goalId: string, actor: AuditActor): Promise<Result<GoalDetail, GoalRefusal | StoreFault>>;
}
