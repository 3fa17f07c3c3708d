import { err, LIMITS, ok, sha256Hex, type Instant, type Result, type Sha256Hex } from "#base";
import {
  readPlanProposal,
  type ApprovedGoal,
  type Cycle,
  type KeptRequest,
  type StoreFault,
  type WorkItem,
} from "#model";
import type { ApprovalStore, GoalStore, GrantedRun, WorkStore } from "#ports";
import {
  approvedSkills,
  FILE_ALONE,
  planHash,
  projectPlan,
  readSpawn,
  repairTask,
  type ReadYaml,
  type SkillFact,
} from "#work";
import { projectProposal } from "../approvals/project-plan.ts";
import type { LoadedPlan, PlanUnusable } from "../work/load-plan.ts";

type GoalDeps = {
  readonly goals: GoalStore;
  readonly approvals: Pick<ApprovalStore, "find" | "findApproval">;
  readonly readYaml: ReadYaml;
};

/** A goal as it was approved, read afresh from what was proposed. */
export type LoadedGoal = {
  readonly request: KeptRequest;
  readonly item: WorkItem;
  readonly contentHash: Sha256Hex;
  /** Its file alone, without the terms on which it stands. */
  readonly file: string;
  /** The versions of its skills that were approved with it. */
  readonly skills: readonly SkillFact[];
};
type Loaded<T> = Promise<Result<T, PlanUnusable | StoreFault>>;

export async function loadGoal(deps: Omit<GoalDeps, "goals">, requestId: string): Loaded<LoadedGoal> {
  const found = await deps.approvals.find(requestId);
  if (!found.ok) return found;
  const request = found.value;
  if (request === null || request.state !== "approved") return err({ code: "request_missing" });
  const read = readGoal(deps.readYaml, request);
  return read.ok ? ok({ request, ...read.value }) : read;
}

type ReadGoal = Omit<LoadedGoal, "request">;

/** What a text says follows from it alone, and the same few texts are read at every check. */
const readBefore = new Map<string, ReadGoal>();

function readGoal(readYaml: ReadYaml, request: KeptRequest): Result<ReadGoal, PlanUnusable> {
  const { markdown: text, createdAt: at } = request;
  // The hash stands for the versions of skills: whoever changed it, or them, has no approval for it.
  const key = `${at} ${request.planHash} ${text}`;
  const known = readBefore.get(key);
  if (known !== undefined) return ok(known);
  const skills = approvedSkills(request.projection);
  // Terms were judged when it was proposed and are signed since; a limit that was lowered later takes nothing back.
  const projected = projectProposal({ readYaml, text, at, skills, standingUsesMax: Number.MAX_SAFE_INTEGER });
  const proposal = readPlanProposal(text);
  if (!projected.ok || !proposal.ok) return err({ code: "plan_unreadable" });
  const { item, projection } = projected.value;
  if (item.type !== "goal") return err({ code: "plan_kind_refused" });
  const goal = { item, contentHash: sha256Hex(projection), file: proposal.value.plan, skills };
  if (readBefore.size >= LIMITS.goalsMax) readBefore.clear();
  readBefore.set(key, goal);
  return ok(goal);
}

/** The approval a goal is looked after by, as the grant that its checks stand on. */
export const grantOfGoal = ({ goalId, ...goal }: ApprovedGoal, grantedAt: Instant): GrantedRun => ({
  runId: goal.runId,
  requestId: goal.requestId,
  workItemId: goalId,
  tokenId: goal.tokenId,
  planHash: goal.planHash,
  grantedAt,
  projectRunId: null,
});

/** The goal itself in the place of a plan, for the gate that lets its checks begin; nothing else runs it. */
export async function loadGoalPlan(deps: Omit<GoalDeps, "goals">, grant: GrantedRun): Loaded<LoadedPlan> {
  const goal = await loadGoal(deps, grant.requestId);
  if (!goal.ok) return goal;
  const { item, contentHash } = goal.value;
  return ok({ grant, item, contentHash, scope: "full_plan", tasks: [] });
}

/** The task behind an attempt that a standing approval was used for; null for every other attempt. */
export async function loadRepairPlan(deps: GoalDeps, grant: GrantedRun): Loaded<LoadedPlan | null> {
  const cycle = await deps.goals.cycleOfRun(grant.runId);
  if (!cycle.ok) return cycle;
  if (cycle.value === null || !standsAlone(cycle.value)) return ok(null);
  const goal = await loadGoal(deps, cycle.value.requestId);
  if (!goal.ok) return goal;
  const { item, contentHash, request, skills } = goal.value;
  const facts = { ...FILE_ALONE, skills };
  const { item: task } = repairTask({ goal: { item, requestId: request.requestId }, cycle: cycle.value });
  const spawn = readSpawn({ goal: item, task, facts });
  const madeBy = { item: { workItemId: item.id, contentHash }, spawn };
  return ok({
    grant,
    item: task,
    contentHash: planHash(projectPlan(task, facts)),
    scope: "standing",
    skills,
    tasks: [],
    madeBy,
  });
}

/** Whether its repair runs by the standing approval, and was not asked for. */
const standsAlone = ({ repair }: Cycle): boolean => repair !== null && repair.requestId === null;

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
    const { runId, tokenId, taskId: workItemId, taskHash } = repair;
    const kept = await approvals.findApproval(tokenId);
    if (!kept.ok) return kept;
    const use = kept.value?.uses.find(({ attemptLineage }) => attemptLineage === runId);
    if (use === undefined) return ok(null);
    return ok({ runId, requestId, workItemId, tokenId, planHash: taskHash, grantedAt: use.at, projectRunId: null });
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
