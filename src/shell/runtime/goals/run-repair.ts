import { assert } from "#base";
import type { Cycle } from "#model";
import type { Clock, GrantedRun, WorkStore } from "#ports";
import type { CycleFact } from "#work";

export type RepairDeps = {
  /** Runs, with those of repairs among them. */
  readonly runs: Pick<WorkStore, "find" | "grantOf">;
  /** Has the runner take it up, once however often it is told. */
  readonly startRun: (grant: GrantedRun) => void;
  readonly clock: Clock;
};

/** Has the repair run as any approved plan does, and says how it ended once it has. [GOAL-05] */
export async function repairEnd({ runs, startRun, clock }: RepairDeps, { repair }: Cycle): Promise<CycleFact | "wait"> {
  assert(repair !== null && repair.runId !== null, "GOAL-05 a repair that runs has its attempt");
  const run = await runs.find(repair.runId);
  if (!run.ok) return "wait";
  if (run.value !== null && run.value.endedAt !== null) {
    return { kind: "repair_ended", at: clock.now(), status: run.value.status };
  }
  const grant = await runs.grantOf(repair.runId);
  if (!grant.ok && grant.error.retryable) return "wait";
  // What is damaged begins nothing, however long it is waited for.
  if (!grant.ok || grant.value === null) return { kind: "repair_ended", at: clock.now(), status: "blocked" };
  startRun(grant.value);
  return "wait";
}
