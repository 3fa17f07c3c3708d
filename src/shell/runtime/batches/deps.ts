import type { Config } from "#model";
import type {
  ApprovalStore,
  AuditLog,
  BatchStore,
  Clock,
  CurrentLimits,
  KeyRegistry,
  Log,
  Randomness,
  ReviewFeed,
  WorkStore,
} from "#ports";
import type { Digests } from "./digests.ts";

export type BatchDeps = {
  readonly config: Pick<Config, "dataDir"> & {
    readonly batchReview: { readonly confidence: { readonly mediumMin: number } };
  };
  /** How many items a batch has, and how sure Silas must be of them. */
  readonly limits: CurrentLimits;
  readonly store: BatchStore;
  readonly work: Pick<WorkStore, "find" | "ledger">;
  /** Every change of it is told. */
  readonly approvals: ApprovalStore;
  readonly registry: KeyRegistry;
  readonly audit: AuditLog;
  readonly review: ReviewFeed;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly digests: Digests;
};
