/** Work: what keeps runs of approved plans, and what the terminal and a channel may do with them. */
import type { Instant, Result, Sha256Hex } from "#base";
import type { AutonomyDoor } from "./autonomy.ts";
import type { BatchesDoor } from "./batches.ts";
import type {
  AuditActor,
  AuditDraft,
  AuditRow,
  Consultation,
  KeptRequest,
  LedgerEntry,
  NetworkUse,
  RequestRefusal,
  RunRecord,
  RunSettlement,
  RunStatus,
  RunTold,
  StoreFault,
  WorkDetail,
  WorkRefusal,
  WorkSummary,
} from "#model";
import type { DoubtsDoor } from "./doubts.ts";
import type { GoalsDoor } from "./goals.ts";
import type { TimersDoor } from "./timers.ts";
import type { StopDoor } from "./stops.ts";
import type { SuggestionsDoor } from "./suggestions.ts";

/**
 * Runs and their ledgers, in `silas.db`. Each change commits together with its audit entry.
 * INVARIANT: a granted attempt is begun once, and what has ended stays as it ended. [WSTORE-05]
 */
export interface WorkStore extends RunNetworkStore {
  /** Attempts of plans that say how they run, granted and not begun by anyone yet; oldest first. */
  waiting(): Promise<Result<readonly GrantedRun[], StoreFault>>;
  /** The grant a run stands on, begun or not. */
  grantOf(runId: string): Promise<Result<GrantedRun | null, StoreFault>>;
  /** The same for a list of runs, in one read; those without a grant are left out. */
  grantsOf(runIds: readonly string[]): Promise<Result<ReadonlyMap<string, GrantedRun>, StoreFault>>;
  /** What the approval of a project granted its tasks, in the order of the project. [PROJ-01] */
  tasksOf(requestId: string): Promise<Result<readonly GrantedRun[], StoreFault>>;
  find(runId: string): Promise<Result<RunRecord | null, StoreFault>>;
  /** The last run of this work that was done by then. [WORK-15] */
  doneBefore(workItemId: string, at: Instant): Promise<Result<RunRecord | null, StoreFault>>;
  /** Newest first; all of them, or those that stand so, or those that a part of an id means. [WSTORE-01] */
  list(asked: RunsAsked & { readonly limit: number }): Promise<Result<readonly RunRecord[], StoreFault>>;
  /** Whether the chain tells of its end: whoever only sets its row back gives no run back. [INV-01] */
  hasEnded(runId: string): Promise<Result<boolean, StoreFault>>;
  /** Until when what the owner decided about steps of this run lets it go on; null when nothing was decided. */
  heldUntil(run: RunRecord): Promise<Result<Instant | null, StoreFault>>;
  /** Runs that were begun and have not ended; oldest first. */
  unfinished(): Promise<Result<readonly RunRecord[], StoreFault>>;
  /** In the order in which steps were begun. */
  ledger(runId: string): Promise<Result<readonly LedgerEntry[], StoreFault>>;
  /** The first record of a run. A run that was begun is not begun again. */
  begin(change: RunChange): Promise<Result<void, WorkRefusal | StoreFault>>;
  /**
   * Status, use of the budget and the step it is about, all or nothing. INVARIANT: a question that the run asks no longer
   * waits for nobody: if it was not decided, the same commit declines it. And a step, a call of a model, advice or the
   * checks begin only while the approval holds: the commit that would record the beginning refuses it.
   */
  save(change: RunChange): Promise<Result<void, WorkRefusal | StoreFault>>;
  /** The same, together with the request of the question that the run asks from now on. [WORK-24] */
  ask(change: RunChange, request: KeptRequest): Promise<Result<void, WorkRefusal | RequestRefusal | StoreFault>>;
  /** What was run on the approvals of a request and has ended, as the texts whose hashes are in the chain. */
  executions(requestId: string): Promise<Result<readonly KeptExecution[], StoreFault>>;
  /** Runs in doubt about which nothing was decided; oldest first. */
  inDoubt(): Promise<Result<readonly RunRecord[], StoreFault>>;
  /** How many they are; whoever counts after every change reads none of them. */
  countInDoubt(): Promise<Result<number, StoreFault>>;
  settlementOf(runId: string): Promise<Result<RunSettlement | null, StoreFault>>;
  /** Keeps what was decided about a run in doubt. INVARIANT: once; the run itself stays as it ended. */
  settle(settled: SettledRun): Promise<Result<void, WorkRefusal | StoreFault>>;
}

type RunsAsked = {
  readonly status?: RunStatus | undefined;
  /** The beginning or the end of the id of a run, or the beginning of the id of its request. */
  readonly idPart?: string | undefined;
};

/** What runs did with their network, host by host, in sums. */
export interface RunNetworkStore {
  /** Adds to what the run did at this host, in one commit with the entry of the chain; what has ended stays as it is. */
  addNetworkUse(used: NetworkUsed): Promise<Result<void, StoreFault>>;
  /** In the order of the hosts. */
  networkOf(runId: string): Promise<Result<readonly NetworkUse[], StoreFault>>;
}
export type NetworkUsed = { readonly runId: string; readonly use: NetworkUse; readonly draft: AuditDraft };

export type SettledRun = { readonly settlement: RunSettlement; readonly actor: AuditActor };

/** One run with its ledger, and the entries of the chain about it. */
export type KeptExecution = {
  readonly record: string;
  readonly settlement: string | null;
  readonly audit: readonly AuditRow[];
};

export type GrantedRun = {
  readonly runId: string;
  readonly requestId: string;
  readonly workItemId: string;
  readonly tokenId: string;
  readonly planHash: Sha256Hex;
  readonly grantedAt: Instant;
  /** The run of the project it is a task of; such a task is begun by its project alone. */
  readonly projectRunId: string | null;
};

export type RunChange = {
  readonly run: RunRecord;
  /** The steps that began or ended with this change. */
  readonly entries: readonly LedgerEntry[];
  /** What the chain says of it; most changes say nothing, the ledger holds them. */
  readonly events: readonly RunNote[];
  readonly at: Instant;
  readonly actor: AuditActor;
  /** What the planner is asked from now on, with its message on the queue by the same commit. [CONSULT-05] */
  readonly consult?: Consultation;
};

export type RunNote =
  | { readonly kind: "run_started" }
  | { readonly kind: "run_ended" }
  | { readonly kind: "run_paused" }
  | { readonly kind: "run_resumed" }
  /** It has tried all it may by itself, and its plan says to ask the planner then. The chain tells of what is asked. */
  | { readonly kind: "out_of_ways" }
  /** Why the approval does not let it run. */
  | { readonly kind: "execution_blocked_no_approval"; readonly reason: string }
  /** What a model says it left is not what it left. [EXEC-14] */
  | {
      readonly kind: "artifact_ref_mismatch";
      readonly attempt: number;
      readonly claimed: number;
      readonly left: number;
    }
  | { readonly kind: "step_in_doubt"; readonly attempt: number; readonly stepIndex: number };

/** Tells what is new of runs in this process, each the moment it is kept. */
export interface RunFeed {
  /** Answers with what ends it. */
  subscribeRuns(listener: (told: RunTold) => void): () => void;
}

/** What the terminal and a channel may do with runs. Nobody begins one here: only an approval does. */
export interface WorkDoor {
  readonly doubts: DoubtsDoor;
  /** Batches of files: proposing them, and taking them back. */
  readonly batches: BatchesDoor;
  /** Goals that were approved, and are checked again and again. */
  readonly goals: GoalsDoor;
  /** What is due at a time. */
  readonly timers: TimersDoor;
  /** Limits of what happens without asking. */
  readonly autonomy: AutonomyDoor;
  /** What Silas suggests by itself. */
  readonly suggestions: SuggestionsDoor;
  /** Newest first; all of them, or those that stand so, or those that a part of an id means, however old they are. */
  list(asked?: RunsAsked): Promise<Result<readonly WorkSummary[], StoreFault>>;
  show(runId: string): Promise<Result<WorkDetail, WorkRefusal | StoreFault>>;
  /** Ends a run at once; what it changed outside of its workspace stays. */
  cancel(runId: string, actor: AuditActor): Promise<Result<RunRecord, WorkRefusal | StoreFault>>;
  /** Has a run rest before its next step, until somebody lets it go on; it survives restarts. */
  pause(runId: string, actor: AuditActor): Promise<Result<RunRecord, WorkRefusal | StoreFault>>;
  resume(runId: string, actor: AuditActor): Promise<Result<RunRecord, WorkRefusal | StoreFault>>;
  /** The stop of everything. */
  readonly stops: StopDoor;
}
