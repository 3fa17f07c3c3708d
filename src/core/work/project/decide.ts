import { ERROR_CHARS, type BudgetUsed, type CheckResult, type RunRecord, type RunStatus, type WorkItem } from "#model";
import { exhausted, NOTHING_USED, cut } from "../run/ledger.ts";
import { proves } from "../verify/expectation.ts";
import { mergeBudgets } from "./budget.ts";
import { dependenciesOf, orderTasks, type TaskNode } from "./order.ts";

export type ProjectPlan = Pick<WorkItem, "verify" | "budget"> & {
  /** In the order of the project. */
  readonly tasks: readonly TaskNode[];
};

/** Everything a project's next turn follows from; nothing is remembered besides the records of its tasks. */
export type ProjectFacts = {
  readonly plan: ProjectPlan;
  /** By task; one that was not begun has none. */
  readonly runs: ReadonlyMap<string, RunRecord>;
  /** What the project itself used: its own checks. */
  readonly ownUse: BudgetUsed;
  readonly isCancelled: boolean;
};

export type ProjectTurn =
  /** Begin this task, or take it up where it was left. */
  { readonly kind: "run_task"; readonly taskId: string } | { readonly kind: "run_checks" } | ProjectEnd;

export type ProjectEnd = {
  readonly kind: "end";
  readonly status: "done" | "failed" | "blocked" | "stuck" | "cancelled";
  readonly isVerified: boolean;
  readonly error: string | null;
  /** Tasks that are never begun now, in order. */
  readonly left: readonly string[];
};

/** The next turn of a project: the first task in order that is not done decides. [PROJ-03] [PROJ-04] */
export function decideProject(facts: ProjectFacts): ProjectTurn {
  const { plan, runs, isCancelled } = facts;
  const order = orderTasks(plan.tasks);
  if (!order.ok)
    return end(facts, { status: "blocked", error: `${PROBLEMS[order.error.code]}: ${order.error.ids.join(", ")}` });
  const next = order.value.find((id) => runs.get(id)?.status !== "done");
  if (next === undefined)
    return plan.verify.length > 0 ? { kind: "run_checks" } : end(facts, { status: "done", error: null });
  const run = runs.get(next);
  if (run !== undefined && run.endedAt !== null) {
    const error = `Task ${next} ${ENDED[run.status] ?? "is not done"}${run.lastError === null ? "" : `: ${run.lastError}`}`;
    return end(facts, { status: isCancelled ? "cancelled" : statusAfter(run.status), error });
  }
  if (isCancelled && run === undefined) return end(facts, { status: "cancelled", error: "Cancelled" });
  const notDone = unmetOf(facts, next);
  if (notDone.length > 0)
    return end(facts, { status: "blocked", error: `Task ${next} waits for ${notDone.join(", ")}` });
  const used = exhausted({ used: usedBy(facts), limit: plan.budget, before: "action" });
  if (used !== null && run === undefined) return end(facts, { status: "stuck", error: BUDGET_USED_UP[used] });
  return { kind: "run_task", taskId: next };
}

/** How a project ends when its own checks have run: done only if all of them passed. [PROJ-05] */
export function judgeProject(facts: ProjectFacts, results: readonly CheckResult[]): ProjectEnd {
  const { verify } = facts.plan;
  const isComplete = results.length === verify.length && verify.every(({ name }, at) => results[at]?.name === name);
  const failed = results.filter(({ passed }) => !passed);
  if (facts.isCancelled) return end(facts, { status: "cancelled", error: "Cancelled" });
  if (isComplete && failed.length === 0)
    return { ...end(facts, { status: "done", error: null }), isVerified: proves(verify) };
  const reasons = failed.map(({ name, reason }) => `Check ${name} failed: ${reason}`);
  return end(facts, { status: "failed", error: isComplete ? reasons.join("; ") : "Not every check was run" });
}

/** What the project and all its tasks used. [BUD-04] */
export const usedBy = ({ ownUse, runs }: Pick<ProjectFacts, "ownUse" | "runs">): BudgetUsed =>
  [...runs.values()].reduce(
    (used, { budgetUsed }) => mergeBudgets(used, budgetUsed),
    mergeBudgets(NOTHING_USED, ownUse),
  );

type TasksKnown = Pick<ProjectFacts, "runs"> & { readonly plan: Pick<ProjectPlan, "tasks"> };

/** Tasks of the project that this one waits for and that are not done. */
export function unmetOf({ plan, runs }: TasksKnown, taskId: string): readonly string[] {
  const ids = new Set(plan.tasks.map(({ id }) => id));
  const task = plan.tasks.find(({ id }) => id === taskId);
  return task === undefined ? [] : dependenciesOf(task, ids).filter((id) => runs.get(id)?.status !== "done");
}

type Ending = Pick<ProjectEnd, "status" | "error">;
function end({ plan, runs }: ProjectFacts, { status, error }: Ending): ProjectEnd {
  const left = status === "done" ? [] : plan.tasks.map(({ id }) => id).filter((id) => !runs.has(id));
  return { kind: "end", status, isVerified: false, error: error === null ? null : cut(error, ERROR_CHARS), left };
}

/** A task that could not do it fails the project; one that waits for somebody blocks it. [R1.A11] */
const statusAfter = (status: RunStatus): "failed" | "blocked" =>
  status === "stuck" || status === "failed" ? "failed" : "blocked";

const ENDED: Partial<Record<RunStatus, string>> = {
  stuck: "failed",
  failed: "failed",
  blocked: "is blocked",
  cancelled: "was stopped",
  in_doubt: "is in doubt",
};
const PROBLEMS = {
  dependency_unknown: "The project has no task of this name",
  dependency_circle: "These tasks wait for each other",
} as const;
const BUDGET_USED_UP = {
  tokens: "The project's budget of tokens is used up",
  cost: "The project's budget of cost is used up",
  wall_time: "The project's budget of time is used up",
  attempts: "The project's attempts are used up",
} as const;
