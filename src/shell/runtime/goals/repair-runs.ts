import { ok, type Result } from "#base";
import type { Cycle, StoreFault } from "#model";
import type { ApprovalStore, GoalStore, GrantedRun, WorkStore } from "#ports";
import { standsAlone } from "./load-goal.ts";

type Parts = {
  readonly work: WorkStore;
  readonly goals: GoalStore;
  readonly approvals: Pick<ApprovalStore, "findApproval">;
};

/**
 * The work store with the attempts that standing approvals were used for among those that were granted: to the runner a
 * repair is a run like any other.
 */
export function withRepairs({ work, goals, approvals }: Parts): WorkStore {
  const grantOf = async (cycle: Cycle): Promise<Result<GrantedRun | null, StoreFault>> => {
    const { repair, requestId } = cycle;
    if (repair === null || repair.runId === null || repair.tokenId === null || !standsAlone(cycle)) return ok(null);
    const { runId, tokenId, taskId: workItemId, taskHash: planHash } = repair;
    const kept = await approvals.findApproval(tokenId);
    if (!kept.ok) return kept;
    const use = kept.value?.uses.find(({ attemptLineage }) => attemptLineage === runId);
    if (use === undefined) return ok(null);
    return ok({ runId, requestId, workItemId, tokenId, planHash, grantedAt: use.at, projectRunId: null });
  };
  const repairOf = async (runId: string): Promise<Result<GrantedRun | null, StoreFault>> => {
    const cycle = await goals.cycleOfRun(runId);
    return cycle.ok && cycle.value !== null ? grantOf(cycle.value) : cycle.ok ? ok(null) : cycle;
  };
  return {
    ...work,
    async grantOf(runId) {
      const own = await work.grantOf(runId);
      return !own.ok || own.value !== null ? own : repairOf(runId);
    },
    async grantsOf(runIds) {
      const own = await work.grantsOf(runIds);
      if (!own.ok) return own;
      const found = new Map(own.value);
      for (const runId of runIds.filter((id) => !found.has(id))) {
        const repair = await repairOf(runId);
        if (!repair.ok) return repair;
        if (repair.value !== null) found.set(runId, repair.value);
      }
      return ok(found);
    },
    async waiting() {
      const own = await work.waiting();
      if (!own.ok) return own;
      const open = await goals.open();
      if (!open.ok) return open;
      const granted = [...own.value];
      for (const cycle of open.value) {
        const found = cycle.state === "repairing" ? await grantOf(cycle) : ok(null);
        const begun = found.ok && found.value !== null ? await work.find(found.value.runId) : null;
        const fault = found.ok ? (begun?.ok === false ? begun : null) : found;
        // What is damaged of one goal keeps no other run from beginning, and does not begin.
        if (fault !== null && fault.error.retryable) return fault;
        if (found.ok && found.value !== null && begun?.ok === true && begun.value === null) granted.push(found.value);
      }
      return ok(granted);
    },
  };
}
