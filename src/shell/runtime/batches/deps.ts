import type { Config } from "#model";
import type { ApprovalStore, BatchStore, Clock, KeyRegistry, Log, Randomness, ReviewFeed, WorkStore } from "#ports";

export type BatchDeps = {
  readonly config: Pick<Config, "dataDir"> & {
    readonly batchReview: { readonly defaultSize: number; readonly confidence: { readonly mediumMin: number } };
  };
  readonly store: BatchStore;
  readonly work: Pick<WorkStore, "find" | "ledger">;
  /** Every change of it is told. */
  readonly approvals: ApprovalStore;
  readonly registry: KeyRegistry;
  readonly review: ReviewFeed;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
};
