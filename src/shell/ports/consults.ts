/** Consultations: what the planner is asked about runs. */
import type { Result } from "#base";
import type { ConsultChange, Consultation, ConsultRefusal, StoreFault } from "#model";

/**
 * Consultations, in `silas.db`. One begins in the commit that changes its run and puts the question on the queue. Each
 * end commits together with its audit entry. INVARIANT: one moves on from the state that is named, or not at all.
 */
export interface ConsultStore {
  find(consultationId: string): Promise<Result<Consultation | null, StoreFault>>;
  /** In the order in which they began. */
  ofRun(runId: string): Promise<Result<readonly Consultation[], StoreFault>>;
  move(change: ConsultChange): Promise<Result<Consultation, ConsultRefusal | StoreFault>>;
}
