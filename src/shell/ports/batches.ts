/** Batches: what keeps their way back and what is still to be asked, and what a surface may do with them. */
import type { Instant, Result } from "#base";
import type {
  ApprovalUse,
  AuditActor,
  BatchProposal,
  KeyError,
  RequestRefusal,
  SpendRefusal,
  StoreFault,
  TidyRefused,
  UndoRefusal,
  UndoView,
} from "#model";
import type { DecideRefusal, Proposed, ProposeRefusal, Spending } from "./approvals.ts";

/** Ways back and batches that wait to be asked about, in `silas.db`. Each change commits together with its audit entry. */
export interface BatchStore {
  /** The way back of a run, whether it is asked by that run or by the one that took it. */
  findUndo(runId: string): Promise<Result<KeptUndo | null, StoreFault>>;
  /**
   * Uses the approval of a way back and begins its run, all or nothing.
   * INVARIANT: of many who ask at once one begins it; the others find which run it is. [UNDO-03]
   */
  beginUndo(
    undoing: Undoing,
  ): Promise<Result<ApprovalUse | null, RequestRefusal | SpendRefusal | KeyError | StoreFault>>;
  /** Keeps the batches of one look. Those of an earlier look at the same are forgotten. */
  addSeries(series: BatchSeries): Promise<Result<void, StoreFault>>;
  /** Of each series the first that nobody was asked about, if the one before it is decided. */
  nextOfSeries(): Promise<Result<readonly NextBatch[], StoreFault>>;
  /** What a goal found before, and how much of it is still to be decided. */
  itemsOf(goalId: string): Promise<Result<GoalItems, StoreFault>>;
  /** Keeps what a goal found together with the questions about it, all or nothing; what is decided of it is forgotten. */
  addItems(found: NewGoalItems): Promise<Result<void, StoreFault>>;
  markAsked(next: NextBatch, requestId: string): Promise<Result<void, StoreFault>>;
}

/** The reverse of a batch as it was kept when the batch was approved. */
export type KeptUndo = {
  readonly runId: string;
  readonly requestId: string;
  readonly tokenId: string;
  /** The canonical text that the token is for. */
  readonly reverse: string;
  readonly windowSeconds: number;
  readonly undoRunId: string | null;
};
export type Undoing = {
  readonly runId: string;
  readonly spending: Spending;
  /** How many items it is about. */
  readonly items: number;
};
export type BatchSeries = {
  readonly seriesId: string;
  readonly goalId: string;
  readonly batches: readonly BatchProposal[];
};
export type NextBatch = { readonly seriesId: string; readonly position: number; readonly batch: BatchProposal };

/** A file as a goal saw it. */
export type GoalItem = { readonly name: string; readonly sha256: string };
export type GoalItems = {
  readonly items: readonly GoalItem[];
  readonly openBatches: number;
  readonly openQuestions: number;
};
export type NewGoalItems = {
  readonly goalId: string;
  readonly items: readonly GoalItem[];
  readonly series: readonly BatchSeries[];
  readonly at: Instant;
};

/** What the terminal and a channel may do with batches. */
export interface BatchesDoor {
  /** Looks at a folder and asks about the first batch of what it would move; the others follow one by one. */
  tidy(folder: string, actor: AuditActor): Promise<Result<Tidied, TidyRefused | ProposeRefusal>>;
  /** Asks about what follows a batch that is decided. A running Silas does so by itself. */
  next(): Promise<Result<void, ProposeRefusal>>;
  /** Takes a batch back. A second time changes nothing: the answer is how it went. [UNDO-03] */
  undo(runId: string, actor: AuditActor): Promise<Result<UndoView, UndoRefusal | DecideRefusal | StoreFault>>;
  /** The way back as a batch of its own, which needs an approval of its own. [UNDO-04] */
  proposeUndo(runId: string, actor: AuditActor): Promise<Result<Proposed, UndoRefusal | ProposeRefusal>>;
}

/** What a look at a folder found. */
export type Tidied = {
  /** Null when there is nothing to move. */
  readonly asked: Proposed | null;
  readonly candidates: number;
  /** Batches that follow this one. */
  readonly following: number;
  /** What was left alone, and why, in words. */
  readonly leftAlone: readonly { readonly name: string; readonly reason: string }[];
};
/** What of a batch the page of its run shows. */
export interface BatchViews {
  /** Null for a run that is no batch. */
  viewOf(runId: string): Promise<Result<UndoView | null, StoreFault>>;
}
