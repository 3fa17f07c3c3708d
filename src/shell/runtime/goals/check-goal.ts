import { err, ok, type Result } from "#base";
import { defaultSandboxConfig, type CheckResult, type KeptGoal, type StoreFault } from "#model";
import type { Sandboxes } from "#ports";
import type { RunNetwork } from "../work/network.ts";
import { performChecks } from "../work/perform-checks.ts";
import type { RunSpaces, SpaceSettings } from "../work/spaces.ts";
import { checkGoalApproval, type GoalApprovalDeps } from "./goal-approval.ts";
import type { LoadedGoal } from "./load-goal.ts";

export type CheckingDeps = GoalApprovalDeps & {
  readonly sandboxes: Pick<Sandboxes, "open">;
  readonly spaces: RunSpaces;
  readonly network: RunNetwork;
  readonly space: Pick<SpaceSettings, "memoryMb" | "cpuSeconds">;
  /** Whether everything is stopped. */
  readonly isStopped: () => Promise<boolean>;
};
/** No check counts: none was run, or they were ended. */
export type ChecksRefused = { readonly code: string };
export type GoalLook = { readonly kept: KeptGoal; readonly goal: LoadedGoal; readonly isClosed: () => boolean };

/**
 * The checks of a goal, each time behind the same gate as a run: plan, token, use and key are read again. They see an
 * empty `/results` and every place of the goal, all of it to read only. [GOAL-01] [INV-01]
 */
export async function checkGoal(
  deps: CheckingDeps,
  { kept, goal, isClosed }: GoalLook,
): Promise<Result<readonly CheckResult[], ChecksRefused | StoreFault>> {
  const { item: plan, contentHash } = goal;
  const held = await checkGoalApproval(deps, { approved: kept, goal: { contentHash } });
  if (!held.ok) return held;
  const { cleared, grant } = held.value;
  const empty = await deps.sandboxes.open(defaultSandboxConfig(deps.space));
  if (!empty.ok) return err({ code: empty.error.code });
  const { workspace } = empty.value;
  const space = await deps.spaces.forChecks(cleared, { plan, workspace });
  const networkFor = deps.network.forChecks({ grant, item: plan });
  const quiet = { onCheck: () => {}, onLine: () => {} };
  const results = space.ok
    ? await performChecks({ plan, space: space.value, workspace, networkFor, isStopped: isClosed, ...quiet })
    : [];
  await Promise.all([empty.value.close(), space.ok ? space.value.close() : null]);
  // A check that was ended by a stop says nothing about the goal.
  if (await deps.isStopped()) return err({ code: "sandbox_stopped" });
  return space.ok ? ok(results) : err({ code: "sandbox_refused" });
}
