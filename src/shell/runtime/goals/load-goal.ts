import { err, LIMITS, ok, sha256Hex, type Instant, type Result, type Sha256Hex } from "#base";
import {
  readPlanProposal,
  type ApprovedGoal,
  type Cycle,
  type KeptRequest,
  type StoreFault,
  type WorkItem,
} from "#model";
import type { ApprovalStore, GoalStore, GrantedRun } from "#ports";
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
export const standsAlone = ({ repair }: Cycle): boolean => repair !== null && repair.requestId === null;
