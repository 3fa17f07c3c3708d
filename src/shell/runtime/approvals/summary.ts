import { LIMITS, ok, type Result } from "#base";
import type { DecisionsSummary, StoreFault } from "#model";
import { fatigueOf, isDense } from "#policy";
import type { ApprovalsDeps } from "./propose.ts";

/** The lists of the queue, and the two cues about how decisions are made. */
export async function summary({ store, settings }: ApprovalsDeps): Promise<Result<DecisionsSummary, StoreFault>> {
  const digest = await store.digest({
    missed: LIMITS.missedRows,
    decided: LIMITS.decidedRows,
    weighed: settings.fatigueDecisions,
  });
  if (!digest.ok) return digest;
  const { weighed, ...lists } = digest.value;
  return ok({ ...lists, fatigue: fatigueOf(weighed), isDense: isDense(lists.pending) });
}
