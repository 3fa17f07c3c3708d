import { ok, type Result } from "#base";
import { readProjection, type ProjectSummary, type RunRecord, type ShownTask, type StoreFault } from "#model";
import type { GrantedRun, WorkStore } from "#ports";
import { orderTasks, unmetOf, usedBy } from "#work";
import { NOTHING_USED, waitingRun } from "./unrun.ts";

type Asked = {
  readonly store: Pick<WorkStore, "tasksOf" | "find">;
  readonly run: RunRecord;
  readonly grant: GrantedRun;
  /** Of the request that granted it. */
  readonly projection: string;
  readonly title: string;
};
type ProjectView = { readonly title: string; readonly project: ProjectSummary | null };

/** What belongs to a project about a run: its tasks if it is one, and its own title if it is one of them. */
export async function viewProject({
  store,
  run,
  grant,
  projection,
  title,
}: Asked): Promise<Result<ProjectView, StoreFault>> {
  const read = readProjection(projection);
  if (!read.ok || read.value.plan.type !== "project") return ok({ title, project: null });
  const shown = read.value.plan.children.flatMap((child) => child ?? []);
  if (grant.projectRunId !== null) {
    return ok({ title: shown.find(({ id }) => id === grant.workItemId)?.title ?? title, project: null });
  }
  const grants = await store.tasksOf(grant.requestId);
  if (!grants.ok) return grants;
  const runs = new Map<string, RunRecord>();
  for (const task of grants.value) {
    const found = await store.find(task.runId);
    if (!found.ok) return found;
    if (found.value !== null) runs.set(task.workItemId, found.value);
  }
  return ok({ title, project: { ...summaryOf({ run, shown, grants: grants.value, runs }), title } });
}

type Known = {
  readonly run: RunRecord;
  readonly shown: readonly ShownTask[];
  readonly grants: readonly GrantedRun[];
  readonly runs: ReadonlyMap<string, RunRecord>;
};

function summaryOf({ run, shown, grants, runs }: Known): Omit<ProjectSummary, "title"> {
  const tasks = shown.map((task) => ({
    id: task.id,
    dependsOn: namesOf(task["depends_on"]),
    followUpOf: typeof task["follow_up_of"] === "string" ? task["follow_up_of"] : null,
  }));
  const order = orderTasks(tasks);
  const inOrder = order.ok ? order.value : tasks.map(({ id }) => id);
  const children = inOrder.flatMap((id) => {
    const grant = grants.find(({ workItemId }) => workItemId === id);
    if (grant === undefined) return [];
    const { runId, status, endedAt } = runs.get(id) ?? waitingRun(grant);
    const waitsFor = endedAt === null ? unmetOf({ plan: { tasks }, runs }, id) : [];
    return [{ workItemId: id, title: shown.find((task) => task.id === id)?.title ?? id, runId, status, waitsFor }];
  });
  const { runId, workItemId, status } = run;
  // What has ended says itself what it used, its own checks included.
  const budgetUsed = run.endedAt === null ? usedBy({ ownUse: NOTHING_USED, runs }) : run.budgetUsed;
  return { runId, workItemId, status, children, budgetUsed };
}

const namesOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
