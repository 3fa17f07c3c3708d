import { err, ok, type Result } from "#base";
import type { WorkItem } from "#model";

/** What of a task its place in a project follows from. */
export type TaskNode = Pick<WorkItem, "id" | "dependsOn" | "followUpOf">;

/** Why tasks have no order, with the ids it is about. */
type OrderProblem = {
  readonly code: "dependency_unknown" | "dependency_circle";
  readonly ids: readonly string[];
};

/**
 * Every task after all it depends on, and otherwise in the order the project lists them: the same tasks always run in the
 * same order. Who takes over results of another task of the project waits for it too. [PROJ-01] [PROJ-02]
 */
export function orderTasks(tasks: readonly TaskNode[]): Result<readonly string[], OrderProblem> {
  const ids = new Set(tasks.map(({ id }) => id));
  const unknown = tasks.flatMap(({ dependsOn }) => dependsOn.filter((id) => !ids.has(id)));
  if (unknown.length > 0) return err({ code: "dependency_unknown", ids: [...new Set(unknown)] });
  const order: string[] = [];
  const placed = new Set<string>();
  while (order.length < tasks.length) {
    const next = tasks.find((task) => !placed.has(task.id) && dependenciesOf(task, ids).every((id) => placed.has(id)));
    if (next === undefined) return err({ code: "dependency_circle", ids: circleIn(tasks, placed) });
    order.push(next.id);
    placed.add(next.id);
  }
  return ok(order);
}

/** The tasks of the same project that must be done before this one. */
export function dependenciesOf({ dependsOn, followUpOf }: TaskNode, ids: ReadonlySet<string>): readonly string[] {
  const isFollowing = followUpOf !== null && ids.has(followUpOf) && !dependsOn.includes(followUpOf);
  return isFollowing ? [...dependsOn, followUpOf] : dependsOn;
}

/** One circle among those that could not be placed: whoever follows dependencies there comes back. */
function circleIn(tasks: readonly TaskNode[], placed: ReadonlySet<string>): readonly string[] {
  const left = tasks.filter(({ id }) => !placed.has(id));
  const ids = new Set(left.map(({ id }) => id));
  const path: string[] = [];
  let at = left[0];
  while (at !== undefined && !path.includes(at.id)) {
    path.push(at.id);
    const next = dependenciesOf(at, ids).find((id) => ids.has(id));
    at = left.find(({ id }) => id === next);
  }
  return at === undefined ? path : path.slice(path.indexOf(at.id));
}
