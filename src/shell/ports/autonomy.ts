/** Limits of autonomy: the decisions they are judged by, the changes that were approved, and what a surface may ask. */
import type { Instant, Result } from "#base";
import type {
  ActionFamily,
  AppliedLimit,
  AuditActor,
  AutonomyRefused,
  AutonomyView,
  DecidedAction,
  LimitValues,
  PendingDecision,
  RequestRefusal,
  StoreFault,
} from "#model";
import type { Proposed, ProposeRefusal } from "./approvals.ts";

/**
 * Reads what was decided and what was changed, in `silas.db`. It keeps nothing of its own: decisions and changes are
 * entries of the audit chain and rows of requests, and a change is written by the commit that uses its approval alone.
 */
export interface AutonomyStore {
  /** Actions that a person decided, newest first, from so many of the newest entries. [AUTO-06] */
  decided(query: {
    readonly family: ActionFamily;
    readonly most: number;
  }): Promise<Result<readonly DecidedAction[], StoreFault>>;
  /** Of each limit the newest change that was approved. */
  applied(): Promise<Result<readonly AppliedLimit[], StoreFault>>;
  /** Requests about limits, newest first. */
  asked(most: number): Promise<Result<readonly AskedLimits[], StoreFault>>;
}
export type AskedLimits = {
  readonly requestId: string;
  /** Null where its changes belong to no family, or to several. */
  readonly family: ActionFamily | null;
  readonly state: PendingDecision["state"];
  readonly createdAt: Instant;
  readonly endedAt: Instant | null;
  readonly proposedBy: AuditActor["kind"];
};

/** The limits as they count at this moment. */
export interface CurrentLimits {
  read(): Promise<Result<LimitValues, StoreFault>>;
}

/** What the terminal and a channel may do. Nothing here changes a limit: that takes a signed approval. */
export interface AutonomyDoor {
  show(): Promise<Result<AutonomyView, StoreFault>>;
  /** Counts now, as the heartbeat does, and asks where the decisions argue for a change. */
  check(): Promise<Result<readonly Proposed[], AutonomyRefused | ProposeRefusal>>;
  /** Asks to take back what was widened; with a request, instead of it, which is then declined. [AUTO-16] */
  tighten(asked: Tightening): Promise<Result<Proposed, AutonomyRefused | ProposeRefusal | RequestRefusal>>;
}
export type Tightening = { readonly requestId: string | null; readonly actor: AuditActor };
