import { err, ok, type Instant, type Result, type Sha256Hex } from "#base";
import {
  readPlanProposal,
  spawnsTask,
  type ProposalReason,
  type ProposalRefused,
  type ProposedRepair,
  type WorkItem,
} from "#model";
import type { PlanRefused } from "#ports";
import {
  buildSpawnedTask,
  FILE_ALONE,
  orderTasks,
  planBytes,
  planHash,
  projectPlan,
  withEffectiveSkills,
  type ParsedPlan,
  type PlanProjection,
  type ReadYaml,
} from "#work";
import { readPlan } from "../gates/read-plan.ts";

export type PlanReading = {
  readonly readYaml: ReadYaml;
  /** What was proposed: a plan file, or several parts in one text. */
  readonly text: string;
  readonly at: Instant;
  readonly standingUsesMax: number;
  readonly absentTools?: readonly string[];
};
export type ProjectedPlan = {
  readonly itemId: string;
  readonly item: WorkItem;
  readonly projection: string;
  /** The tasks of a project, in its order, each with the hash its own token is bound to. */
  readonly tasks: readonly ProjectedTask[];
};
export type ProjectedTask = { readonly item: WorkItem; readonly contentHash: Sha256Hex };
type Refused = PlanRefused | ProposalRefused;

/**
 * Reads what was proposed and projects it: a plan, with the tasks of a project whole and in its order, or with the terms
 * on which a goal stands. No skill is installed, and no executor is chosen yet. [PROJ-01]
 */
export function projectProposal(reading: PlanReading): Result<ProjectedPlan, Refused> {
  const proposal = readPlanProposal(reading.text);
  if (!proposal.ok) return proposal;
  const parsed = parse(reading, proposal.value.plan);
  if (!parsed.ok) return parsed;
  const item = withEffectiveSkills(parsed.value, null);
  const children = childrenOf(reading, { item, files: proposal.value.tasks });
  if (!children.ok) return children;
  const { standing } = proposal.value;
  const wholes = children.value.map(({ projected }) => projected);
  // What runs every task of it without a model runs the project.
  const isRunnable = wholes.length > 0 && wholes.every((child) => child.executor_kind === "steps");
  const executorKind = isRunnable ? "steps" : null;
  const projection = projectPlan(item, { ...FILE_ALONE, executorKind, children: wholes, standing });
  const reason = standing === null ? null : wrongTerms({ ...reading, item, projection, standing });
  if (reason !== null) return refuse(reason, item.id);
  if (proposal.value.repair !== undefined) return projectRepair({ ...reading, goal: item, ...proposal.value.repair });
  const tasks = children.value.map((child) => ({ item: child.item, contentHash: planHash(child.projected) }));
  return ok({ itemId: item.id, item, projection: planBytes(projection), tasks });
}

type Repairing = ProposedRepair & { readonly goal: WorkItem; readonly at: Instant };

/** The one task that a goal makes of a failure, by the builder that makes it for the standing approval too. [GOAL-06] */
function projectRepair({ goal, task_id: taskId, failed, at }: Repairing): Result<ProjectedPlan, Refused> {
  if (goal.type !== "goal" || !spawnsTask(projectPlan(goal, FILE_ALONE))) return refuse("repair_without_goal", goal.id);
  const { item } = buildSpawnedTask({ goal, taskId, failed, skills: goal.skills, at });
  return ok({ itemId: item.id, item, projection: planBytes(projectPlan(item, FILE_ALONE)), tasks: [] });
}

function parse({ readYaml, at, absentTools = [] }: PlanReading, markdown: string): Result<ParsedPlan, PlanRefused> {
  const parsed = readPlan({ markdown, readYaml, at, absentTools });
  if (parsed.ok) return parsed;
  const [{ line, column, code }] = parsed.error;
  return err({ code: "plan_refused", line, column, reason: code });
}

type Family = { readonly item: WorkItem; readonly files: readonly string[] };
type Child = { readonly item: WorkItem; readonly projected: PlanProjection };

/** Exactly the tasks a project names. One that is left out, or one too many, would be approved unseen. [R1.A4] */
function childrenOf(reading: PlanReading, { item, files }: Family): Result<readonly Child[], Refused> {
  const isRun = item.type === "project" || item.steps.length > 0;
  if (isRun && item.dependsOn.length > 0) return refuse("depends_alone", item.id);
  if (item.type !== "project") return files.length === 0 ? ok([]) : refuse("tasks_without_project", item.id);
  const children = new Map<string, Child>();
  for (const file of files) {
    const parsed = parse(reading, file);
    if (!parsed.ok) return parsed;
    const child = withEffectiveSkills(parsed.value, item.skills);
    const reason = wrongChild(item, child) ?? (children.has(child.id) ? "task_repeated" : null);
    if (reason !== null) return refuse(reason, child.id);
    // A file may leave its parent out; the project that lists it is its parent, and that is what is hashed.
    const own = { ...child, parent: item.id };
    children.set(child.id, { item: own, projected: projectPlan(own, FILE_ALONE) });
  }
  const missing = item.tasks.find((id) => !children.has(id));
  if (missing !== undefined) return refuse("task_missing", missing);
  const listed = item.tasks.flatMap((id) => children.get(id) ?? []);
  // Said here, before anybody is asked, and again whenever the plan is read to be run. [PROJ-02]
  const order = orderTasks(listed.map((child) => child.item));
  return order.ok ? ok(listed) : refuse(order.error.code, order.error.ids.join(", "));
}

function wrongChild(project: WorkItem, child: WorkItem): ProposalReason | null {
  if (!project.tasks.includes(child.id)) return "task_extra";
  if (child.type !== "task") return "task_is_no_task";
  return child.parent === null || child.parent === project.id ? null : "task_of_another";
}

type Terms = Pick<PlanReading, "at" | "standingUsesMax"> & {
  readonly item: WorkItem;
  readonly projection: PlanProjection;
  readonly standing: { readonly max_executions: number; readonly expires_at: string };
};

function wrongTerms({ item, projection, standing, at, standingUsesMax }: Terms): ProposalReason | null {
  if (item.type !== "goal") return "standing_without_goal";
  if (!spawnsTask(projection)) return "standing_without_repair";
  if (standing.max_executions > standingUsesMax) return "standing_uses";
  return standing.expires_at <= at ? "standing_over" : null;
}

const refuse = (reason: ProposalReason, itemId: string) => err({ code: "proposal_refused", reason, itemId } as const);
