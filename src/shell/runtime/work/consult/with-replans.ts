import { ok, type Result } from "#base";
import { readPlanProposal, type StoreFault } from "#model";
import type { ApprovalStore, RunChange, WorkStore } from "#ports";
import { beginReplan } from "#work";

type Replanning = {
  readonly approvals: Pick<ApprovalStore, "find">;
  /** Whether there is a model that can be asked. */
  readonly planner: "set" | "absent";
  readonly depthMax: number;
};

/**
 * The same store, where the end of a run that is out of ways asks the planner for another in the same commit. Without a
 * model nothing is asked, and the run ends as it would. [CONSULT-05]
 */
export function withReplans(store: WorkStore, replanning: Replanning): WorkStore {
  return {
    ...store,
    async save(change) {
      if (replanning.planner === "absent" || !isOutOfWays(change)) return store.save(change);
      const depth = await depthOf(store, { ...replanning, runId: change.run.runId });
      if (!depth.ok) return depth;
      if (depth.value === null) return store.save(change);
      const { run, at } = change;
      const { depthMax } = replanning;
      return store.save({ ...change, consult: beginReplan({ run, depth: depth.value, depthMax, at }) });
    },
  };
}

const isOutOfWays = ({ events }: RunChange): boolean => events.some(({ kind }) => kind === "out_of_ways");

type Lineage = Replanning & { readonly runId: string };

/**
 * How many other ways led to this run; null when it is not a plan of its own: a task of a project has its place in the
 * project, a repair is made by its goal, and a batch by its items.
 */
async function depthOf(
  store: WorkStore,
  { approvals, depthMax, runId }: Lineage,
): Promise<Result<number | null, StoreFault>> {
  let depth = 0;
  for (let current = runId; depth <= depthMax; depth += 1) {
    const grant = await store.grantOf(current);
    if (!grant.ok) return grant;
    if (grant.value === null || grant.value.projectRunId !== null) return ok(depth === 0 ? null : depth);
    const request = await approvals.find(grant.value.requestId);
    if (!request.ok) return request;
    if (request.value?.kind !== "plan_approval") return ok(depth === 0 ? null : depth);
    const proposal = readPlanProposal(request.value.markdown);
    const replaced = proposal.ok ? proposal.value.replaces : undefined;
    if (replaced === undefined) return ok(depth);
    current = replaced;
  }
  return ok(depth);
}
