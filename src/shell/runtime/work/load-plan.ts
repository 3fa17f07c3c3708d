import { err, ok, sha256Hex, type Result, type Sha256Hex } from "#base";
import { SCOPE_OF_KIND, type ApprovalScope, type LedgerEntry, type StoreFault, type WorkItem } from "#model";
import type { Presented, SpawnFact } from "#policy";
import type { ApprovalStore, Clock, GrantedRun } from "#ports";
import { approvedSkills, type ReadYaml, type SkillFact } from "#work";
import { loadBatch } from "../batches/load-batch.ts";
import { projectProposal, type DecidedPlans, type PlanRead, type ProjectedTask } from "../approvals/project-plan.ts";

export type PlanDeps = {
  /** Plans that were parsed to verify their approvals. */
  readonly decided?: Pick<DecidedPlans, "take">;
  readonly approvals: Pick<ApprovalStore, "find" | "findApproval">;
  readonly clock: Clock;
  readonly readYaml: ReadYaml;
  /** The task behind an attempt that a goal's standing approval was used for; null for every other attempt. */
  readonly loadRepair: (grant: GrantedRun) => Promise<Result<LoadedPlan | null, PlanUnusable | StoreFault>>;
  /** What the batch did that an attempt takes back; null for every other attempt. */
  readonly ledgerBefore: (grant: GrantedRun) => Promise<Result<readonly LedgerEntry[] | null, StoreFault>>;
};

/** The plan behind a grant, read afresh from what was proposed, with the hash of what it would do. */
export type LoadedPlan = {
  readonly grant: GrantedRun;
  readonly item: WorkItem;
  readonly contentHash: Sha256Hex;
  /** What an approval must say that it is for, to be one of this. [APPR-23] */
  readonly scope: ApprovalScope;
  /** The tasks of a project, in its order. */
  readonly tasks: readonly ProjectedTask[];
  /** The versions of its skills that were approved with it; without them it may use none. */
  readonly skills?: readonly SkillFact[];
  /** The text it was read from, and all that was found there; absent where more than a text decides what it is. */
  readonly read?: PlanRead;
  /** The goal that made it, where its approval is the one that stands for such tasks. [APPR-13] */
  readonly madeBy?: { readonly item: Presented["item"]; readonly spawn: SpawnFact };
};
export type PlanUnusable = { readonly code: "request_missing" | "plan_unreadable" | "plan_kind_refused" };

type Loading = Promise<Result<LoadedPlan, PlanUnusable | StoreFault>>;

export const loadPlan = (deps: PlanDeps, grant: GrantedRun): Loading => loadKnownPlan(deps, { grant });

/** What is kept is looked up as ever; what was read of it before is parsed anew only where the text is another. */
export async function loadKnownPlan(
  { approvals, clock, readYaml, loadRepair, ledgerBefore, decided }: PlanDeps,
  { grant, read: before }: Pick<LoadedPlan, "grant" | "read">,
): Loading {
  const repair = await loadRepair(grant);
  if (!repair.ok) return repair;
  if (repair.value !== null) return ok(repair.value);
  const found = await approvals.find(grant.requestId);
  if (!found.ok) return found;
  const request = found.value;
  if (request === null || request.state !== "approved") return err({ code: "request_missing" });
  if (request.kind === "batch_review") {
    const ledger = await ledgerBefore(grant);
    if (!ledger.ok) return ledger;
    const batch = loadBatch(request, { grant, before: ledger.value, at: clock.now() });
    return batch.ok ? ok({ grant, scope: SCOPE_OF_KIND[request.kind], ...batch.value, tasks: [] }) : batch;
  }
  const skills = approvedSkills(request.projection);
  const known = before ?? decided?.take(grant.requestId);
  const isKnown = known?.markdown === request.markdown && known.projection === request.projection;
  // The time and the uses of standing terms concern goals, and a goal does not run by itself.
  const reading = { readYaml, text: request.markdown, at: clock.now(), standingUsesMax: 0, skills };
  const projected = isKnown ? ok(known.projected) : projectProposal(reading);
  if (!projected.ok) return err({ code: "plan_unreadable" });
  const { item, projection, tasks } = projected.value;
  const read = { markdown: request.markdown, projection: request.projection, projected: projected.value };
  const own = { grant, scope: SCOPE_OF_KIND.plan_approval, skills, read };
  if (grant.projectRunId === null) {
    if (item.type === "goal") return err({ code: "plan_kind_refused" });
    return ok({ ...own, item, contentHash: sha256Hex(projection), tasks });
  }
  const task = tasks.find((one) => one.item.id === grant.workItemId);
  return task === undefined ? err({ code: "plan_kind_refused" }) : ok({ ...own, ...task, tasks: [] });
}

/** A fault that may be over the next time, unlike one about what is kept. */
export const mayPass = (error: object): boolean => "retryable" in error && error.retryable === true;
