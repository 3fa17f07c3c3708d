import { err, ok, type Instant, type Result } from "#base";
import type { Artifacts, RunRecord, StoreFault, WorkItem } from "#model";
import type { ApprovalStore, GrantedRun, WorkStore } from "#ports";
import { projectProposal } from "../../approvals/project-plan.ts";
import { loadPlan, mayPass, type PlanDeps } from "../load-plan.ts";

export type NeededDeps = PlanDeps & {
  readonly store: Pick<WorkStore, "waiting" | "unfinished" | "grantOf" | "ledger" | "doneBefore">;
  readonly approvals: Pick<ApprovalStore, "list">;
};
/** A plan that is asked about, granted or running, and when its results are taken over as of. */
type Open = { readonly item: Pick<WorkItem, "followUpOf">; readonly before: Instant };

/**
 * Digests of everything that open work names: what a run has left so far, and the results that a plan takes over which is
 * running, granted or waits for a decision. What cannot be read now is an error: then nobody knows what is needed.
 */
export async function neededArtifacts(deps: NeededDeps): Promise<Result<ReadonlySet<string>, StoreFault>> {
  const digests = new Set<string>();
  const add = (artifacts: Artifacts): void => {
    for (const { sha256 } of Object.values(artifacts)) digests.add(sha256);
  };
  const unfinished = await deps.store.unfinished();
  if (!unfinished.ok) return unfinished;
  for (const run of unfinished.value) {
    const ledger = await deps.store.ledger(run.runId);
    if (!ledger.ok) return ledger;
    for (const { artifacts } of [run, ...ledger.value]) add(artifacts);
  }
  const open = await openPlans(deps, unfinished.value);
  if (!open.ok) return open;
  for (const { item, before } of open.value) {
    const followed = item.followUpOf === null ? ok(null) : await deps.store.doneBefore(item.followUpOf, before);
    if (!followed.ok) return followed;
    add(followed.value?.artifacts ?? {});
  }
  return ok(digests);
}

async function openPlans(
  deps: NeededDeps,
  unfinished: readonly RunRecord[],
): Promise<Result<readonly Open[], StoreFault>> {
  const now = deps.clock.now();
  const waiting = await deps.store.waiting();
  if (!waiting.ok) return waiting;
  const asked = await deps.approvals.list(["pending"]);
  if (!asked.ok) return asked;
  const found: Open[] = asked.value.flatMap(({ markdown }) => {
    const projected = projectProposal({ readYaml: deps.readYaml, text: markdown, at: now, standingUsesMax: 0 });
    if (!projected.ok) return [];
    return [projected.value, ...projected.value.tasks].map(({ item }) => ({ item, before: now }));
  });
  const granted: { readonly grant: GrantedRun; readonly before: Instant }[] = [];
  for (const grant of waiting.value) granted.push({ grant, before: now });
  for (const { runId, startedAt } of unfinished) {
    const grant = await deps.store.grantOf(runId);
    if (!grant.ok) return grant;
    if (grant.value !== null) granted.push({ grant: grant.value, before: startedAt });
  }
  for (const { grant, before } of granted) {
    const loaded = await loadPlan(deps, grant);
    // A plan that can never be read takes nothing over; one that may be read the next time might.
    if (!loaded.ok && mayPass(loaded.error)) return err({ code: "store_failed", retryable: true });
    if (!loaded.ok) continue;
    for (const { item } of [loaded.value, ...loaded.value.tasks]) found.push({ item, before });
    // A task of a project that has not begun takes over what is there when it does.
    for (const { item } of loaded.value.tasks) found.push({ item, before: now });
  }
  return ok(found);
}
