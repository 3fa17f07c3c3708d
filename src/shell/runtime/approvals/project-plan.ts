import { err, type Instant, LIMITS, ok, type Result, type Sha256Hex } from "#base";
import {
  isRunKind,
  type KeptRequest,
  type PlanProposal,
  type ProposalReason,
  type ProposalRefused,
  type ProposedRepair,
  readPlanProposal,
  type SkillUnusable,
  spawnsTask,
  type Step,
  type StoreFault,
  type WorkItem,
} from "#model";
import type { PlanRefused } from "#ports";
import {
  buildSpawnedTask,
  callOf,
  FILE_ALONE,
  orderTasks,
  type ParsedPlan,
  planBytes,
  type PlanFacts,
  planHash,
  type PlanProjection,
  projectPlan,
  type ReadYaml,
  type SkillFact,
  withEffectiveSkills,
} from "#work";
import { readPlan } from "../gates/read-plan.ts";
import { isSkillCall } from "#tools";
import type { InstalledSkills } from "../skills/installed.ts";

export type PlanReading = {
  readonly readYaml: ReadYaml;
  /** What was proposed: a plan file, or several parts in one text. */
  readonly text: string;
  readonly at: Instant;
  readonly standingUsesMax: number;
  readonly absentTools?: readonly string[];
  readonly systemGates?: readonly string[];
  readonly mustAct?: boolean;
  /** The versions of skills it is projected with: those that are installed, or those that were approved with it. */
  readonly skills?: readonly SkillFact[];
};
type ProjectionFacts = Pick<PlanReading, "at" | "standingUsesMax" | "skills">;
type ProjectedPlan = {
  readonly itemId: string;
  readonly item: WorkItem;
  readonly projection: string;
  /** The tasks of a project, in its order, each with the hash its own token is bound to. */
  readonly tasks: readonly ProjectedTask[];
};
export type ProjectedTask = { readonly item: WorkItem; readonly contentHash: Sha256Hex };
/** What a text says follows from it, and from the versions of skills that were approved with it, alone. */
export type PlanRead = Pick<KeptRequest, "markdown" | "projection"> & { readonly projected: ProjectedPlan };
type Refused = PlanRefused | ProposalRefused;

/** A parsed proposal: its plan, and the tasks of a project in its order. It does not depend on versions of skills. */
type ReadProposal = Pick<PlanProposal, "standing" | "repair"> & {
  readonly item: WorkItem;
  readonly tasks: readonly WorkItem[];
};

/** Parses what was proposed. This is the only part that reads its text. */
function readProposal(reading: PlanReading): Result<ReadProposal, Refused> {
  const proposal = readPlanProposal(reading.text);
  if (!proposal.ok) return proposal;
  const { continues, standing, repair } = proposal.value;
  const parsed = parse(reading, { markdown: proposal.value.plan, part: 0, continues });
  if (!parsed.ok) return parsed;
  const item = withEffectiveSkills(parsed.value, null);
  if (continues !== undefined && item.followUpOf !== continues) return refuse("continues_another", item.id);
  const tasks = tasksOf(reading, { item, files: proposal.value.tasks });
  return tasks.ok ? ok({ item, tasks: tasks.value, standing, repair }) : tasks;
}

/**
 * Projects a plan, with the tasks of a project whole and in its order, or with the terms on which a goal stands. No
 * executor is chosen yet. [PROJ-01]
 */
function projectRead(read: ReadProposal, facts: ProjectionFacts): Result<ProjectedPlan, Refused> {
  const { item, standing, repair } = read;
  const children = read.tasks.map((task) => ({ item: task, projected: projectPlan(task, alone(facts.skills)) }));
  const wholes = children.map(({ projected }) => projected);
  // Who carries out every task of it carries out the project; where a model is among them, the project says so.
  const kinds = wholes.map((child) => child.executor_kind);
  const isRunnable = kinds.length > 0 && kinds.every(isRunKind);
  const executorKind = isRunnable ? (kinds.includes("model") ? "model" : "steps") : null;
  const projection = projectPlan(item, { ...alone(facts.skills), executorKind, children: wholes, standing });
  const reason = standing === null ? null : wrongTerms({ ...facts, item, projection, standing });
  if (reason !== null) return refuse(reason, item.id);
  if (repair !== undefined) return projectRepair({ ...facts, goal: item, ...repair });
  const tasks = children.map((child) => ({ item: child.item, contentHash: planHash(child.projected) }));
  return ok({ itemId: item.id, item, projection: planBytes(projection), tasks });
}

/** Reads what was proposed and projects it. */
export function projectProposal(reading: PlanReading): Result<ProjectedPlan, Refused> {
  const read = readProposal(reading);
  return read.ok ? projectRead(read.value, reading) : read;
}

const alone = (skills: readonly SkillFact[] = []): PlanFacts => ({ ...FILE_ALONE, skills });

type Repairing = ProposedRepair & Pick<PlanReading, "skills"> & { readonly goal: WorkItem; readonly at: Instant };

/** The one task that a goal makes of a failure, by the builder that makes it for the standing approval too. [GOAL-06] */
function projectRepair({ goal, task_id: taskId, failed, at, skills }: Repairing): Result<ProjectedPlan, Refused> {
  if (goal.type !== "goal" || !spawnsTask(projectPlan(goal, FILE_ALONE))) return refuse("repair_without_goal", goal.id);
  const { item } = buildSpawnedTask({ goal, taskId, failed, skills: goal.skills, at });
  return ok({ itemId: item.id, item, projection: planBytes(projectPlan(item, alone(skills))), tasks: [] });
}

type File = {
  readonly markdown: string;
  /** Which of the files it is: 0 for the plan, then its tasks as they were given. */
  readonly part: number;
  readonly continues?: string | undefined;
};

function parse(reading: PlanReading, { part, ...file }: File): Result<ParsedPlan, PlanRefused> {
  const { readYaml, at, absentTools = [], systemGates = [], mustAct = false } = reading;
  const parsed = readPlan({ ...file, readYaml, at, absentTools, systemGates, mustAct });
  if (parsed.ok) return parsed;
  const [{ line, column, code }] = parsed.error;
  return err({ code: "plan_refused", line, column, reason: code, part, problems: parsed.error });
}

type Family = { readonly item: WorkItem; readonly files: readonly string[] };

/** Exactly the tasks a project names. One that is left out, or one too many, would be approved unseen. [R1.A4] */
function tasksOf(reading: PlanReading, { item, files }: Family): Result<readonly WorkItem[], Refused> {
  const isRun = item.type === "project" || item.steps.length > 0 || item.executor !== null;
  if (isRun && item.dependsOn.length > 0) return refuse("depends_alone", item.id);
  if (item.type !== "project") return files.length === 0 ? ok([]) : refuse("tasks_without_project", item.id);
  const children = new Map<string, WorkItem>();
  for (const [index, file] of files.entries()) {
    const parsed = parse(reading, { markdown: file, part: index + 1 });
    if (!parsed.ok) return parsed;
    const child = withEffectiveSkills(parsed.value, item.skills);
    const reason = wrongChild(item, child) ?? (children.has(child.id) ? "task_repeated" : null);
    if (reason !== null) return refuse(reason, child.id);
    // A file may leave its parent out; the project that lists it is its parent, and that is what is hashed.
    children.set(child.id, { ...child, parent: item.id });
  }
  const missing = item.tasks.find((id) => !children.has(id));
  if (missing !== undefined) return refuse("task_missing", missing);
  const listed = item.tasks.flatMap((id) => children.get(id) ?? []);
  // Said here, before anybody is asked, and again whenever the plan is read to be run. [PROJ-02]
  const order = orderTasks(listed);
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

/**
 * Plans as they were read when their approvals were verified, until they begin. They prove nothing by themselves: whoever
 * takes one compares it with what is kept by then, and parses that unless it is the same to the letter. [INV-02]
 */
export type DecidedPlans = {
  keep(requestId: string, read: PlanRead): void;
  take(requestId: string): PlanRead | undefined;
};

export function createDecidedPlans(charsMax: number = LIMITS.plansInLineChars): DecidedPlans {
  const kept = new Map<string, PlanRead>();
  let keptChars = 0;
  const take = (requestId: string): PlanRead | undefined => {
    const read = kept.get(requestId);
    if (read !== undefined && kept.delete(requestId)) keptChars -= charsOf(read);
    return read;
  };
  return {
    keep(requestId, read) {
      take(requestId);
      if (charsOf(read) > charsMax) return;
      // The oldest go: some are of plans that never run, such as goals.
      for (const oldest of kept.keys()) if (keptChars + charsOf(read) > charsMax) take(oldest);
      kept.set(requestId, read);
      keptChars += charsOf(read);
    },
    take,
  };
}

const charsOf = ({ markdown, projection }: PlanRead): number => markdown.length + projection.length;

type Projected = ReturnType<typeof projectRead> | Result<never, SkillUnusable | StoreFault>;

/**
 * Projects a plan with the versions of skills that are installed. Everything it lists is there and can be used as its
 * steps use it, or nobody is asked about it. [SKILL-10]
 */
export async function projectWithSkills(
  installed: Pick<InstalledSkills, "factsFor">,
  reading: PlanReading,
): Promise<Projected> {
  const read = readProposal(reading);
  if (!read.ok) return read;
  const bare = projectRead(read.value, reading);
  if (!bare.ok) return bare;
  const works = [bare.value.item, ...bare.value.tasks.map(({ item }) => item)];
  if (works.every(({ skills, steps }) => skills.length === 0 && !steps.some(usesSkill))) return bare;
  const skills = await installed.factsFor(works);
  return skills.ok ? projectRead(read.value, { ...reading, skills: skills.value }) : skills;
}

const usesSkill = (step: Step): boolean => isSkillCall(callOf(step));
