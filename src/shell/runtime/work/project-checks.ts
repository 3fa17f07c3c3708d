import type { CheckResult, WorkItem } from "#model";
import type { SandboxSpace } from "#ports";
import { checkNotRun } from "#work";
import type { DriveDeps } from "./drive.ts";
import type { ClearedRun } from "./entry-gate.ts";
import type { LoadedPlan } from "./load-plan.ts";
import { performChecks } from "./perform-checks.ts";

type ProjectChecking = {
  readonly cleared: ClearedRun;
  readonly loaded: LoadedPlan;
  readonly isStopped: () => boolean;
  /** Told of each sandbox, so that it can be ended. */
  readonly onOpened: (space: SandboxSpace) => void;
};

/**
 * The checks of the project itself, after its last task: in a sandbox that sees every place its tasks were granted, all
 * to read only, and an empty workspace. [PROJ-05]
 */
export async function checkProject(
  { spaces, network }: Pick<DriveDeps, "spaces" | "network">,
  { cleared, loaded, isStopped, onOpened }: ProjectChecking,
): Promise<readonly CheckResult[]> {
  const tasks = loaded.tasks.map(({ item }) => item);
  // The steps of the tasks for their secrets: what a task left in a place may be shown by a check.
  const plan = { ...loaded.item, files: placesOf(tasks), steps: tasks.flatMap(({ steps }) => steps) };
  const held = await spaces.forSteps(cleared, { ...plan, files: { read: [], write: [] }, skills: [] });
  if (!held.ok) return plan.verify.map((check) => checkNotRun(check, held.error));
  onOpened(held.value);
  try {
    const { workspace } = held.value;
    const opened = await spaces.forChecks(cleared, { plan, workspace });
    if (!opened.ok) return plan.verify.map((check) => checkNotRun(check, opened.error));
    onOpened(opened.value);
    const quiet = { onCheck: () => {}, onLine: () => {} };
    const networkFor = network.forChecks(loaded);
    const results = await performChecks({ plan, space: opened.value, workspace, networkFor, isStopped, ...quiet });
    await opened.value.close();
    return results;
  } finally {
    await held.value.close();
  }
}

/** The places of all tasks together; one that lies in another is seen with it. */
function placesOf(tasks: readonly WorkItem[]): WorkItem["files"] {
  const all = [...new Set(tasks.flatMap(({ files }) => [...files.read, ...files.write]))];
  const isInner = (path: string): boolean => all.some((other) => path.startsWith(`${other}/`));
  return { read: all.filter((path) => !isInner(path)), write: [] };
}
