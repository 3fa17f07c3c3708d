/** Runs in doubt: what the terminal and a channel may do about them. */
import type { Result } from "#base";
import type { AuditActor, Doubt, RunSettlement, SettleChoice, StoreFault, WorkRefusal } from "#model";

export interface DoubtsDoor {
  /** Everything in doubt about which nothing was decided; oldest first. */
  list(): Promise<Result<readonly Doubt[], StoreFault>>;
  /** Keeps what somebody decided, once. Nothing that may have happened is done again by it. */
  settle(runId: string, settling: Settling): Promise<Result<RunSettlement, WorkRefusal | StoreFault>>;
}
export type Settling = { readonly choice: SettleChoice; readonly actor: AuditActor };
