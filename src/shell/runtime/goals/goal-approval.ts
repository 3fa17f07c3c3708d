import { err, ok, type Result } from "#base";
import type { ApprovedGoal, StoreFault } from "#model";
import type { GrantedRun } from "#ports";
import { checkEntry, type ClearedRun, type EntryRefusal, type GateDeps } from "../work/entry-gate.ts";
import { grantOfGoal, loadGoalPlan, type LoadedGoal } from "./load-goal.ts";

export type GoalApprovalDeps = Pick<GateDeps, "approvals" | "registry" | "clock" | "readYaml">;
/** What its checks may begin on. */
type ClearedGoal = { readonly cleared: ClearedRun; readonly grant: GrantedRun };
type HeldGoal = { readonly approved: ApprovedGoal; readonly goal: Pick<LoadedGoal, "contentHash"> };

/**
 * Whether the approval that a goal stands on holds now, by the same gate as a run: plan, token, use and key are read
 * again. Nothing is used for it. [GOAL-01] [INV-01]
 */
export async function checkGoalApproval(
  deps: GoalApprovalDeps,
  { approved, goal }: HeldGoal,
): Promise<Result<ClearedGoal, EntryRefusal | StoreFault>> {
  const approval = await deps.approvals.findApproval(approved.tokenId);
  if (!approval.ok) return approval;
  const use = approval.value?.uses.find(({ attemptLineage }) => attemptLineage === approved.runId);
  if (use === undefined) return err({ code: "approval_not_granted" });
  const grant = grantOfGoal(approved, use.at);
  const { approvals, registry, clock, readYaml } = deps;
  // A goal is neither a repair nor a batch.
  const gate = {
    approvals,
    registry,
    clock,
    readYaml,
    loadRepair: () => loadGoalPlan(deps, grant),
    ledgerBefore: async () => ok(null),
  };
  // How long an approval waits to be used says nothing about a goal that it was used for.
  const cleared = await checkEntry(gate, { grant, contentHash: goal.contentHash, since: use.at });
  return cleared.ok ? ok({ cleared: cleared.value, grant }) : cleared;
}
