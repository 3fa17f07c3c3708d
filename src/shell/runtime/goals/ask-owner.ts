import { assert, type Result } from "#base";
import { planProposalText, type AuditActor, type Cycle, type KeptRequest } from "#model";
import type { ApprovalStore, Clock, Log, Proposed, ProposeRefusal } from "#ports";
import { failedChecks, type CycleFact } from "#work";
import { mayPass } from "../work/load-plan.ts";
import type { LoadedGoal } from "./load-goal.ts";

export type AskDeps = {
  readonly approvals: Pick<ApprovalStore, "find" | "findApproval" | "list">;
  /** Asks about a plan as every plan is asked about. */
  readonly propose: (text: string, actor: AuditActor) => Promise<Result<Proposed, ProposeRefusal>>;
  readonly clock: Clock;
  readonly log: Log;
};
type Asking = { readonly goal: LoadedGoal; readonly cycle: Cycle };

/**
 * Asks the owner about the repair itself: the whole task on a card, for one use. What was asked before a crash is found
 * by the id of the task, which is that of this cycle alone. [GOAL-06]
 */
export async function askOwner(deps: AskDeps, { goal, cycle }: Asking): Promise<CycleFact | "wait"> {
  const { repair, results } = cycle;
  assert(repair !== null, "GOAL-06 there is a repair to ask about");
  const before = await deps.approvals.list(["pending", "approved", "declined", "expired"]);
  if (!before.ok) return "wait";
  const found = before.value.find(({ workItemId }) => workItemId === repair.taskId);
  if (found !== undefined) return { kind: "asked", at: deps.clock.now(), requestId: found.requestId };
  const text = planProposalText({
    plan: goal.file,
    tasks: [],
    standing: null,
    repair: { task_id: repair.taskId, failed: failedChecks(results) },
  });
  const asked = await deps.propose(text, { kind: "system" });
  const at = deps.clock.now();
  if (asked.ok) return { kind: "asked", at, requestId: asked.value.request.requestId };
  deps.log.error("goal_not_asked", { goal_id: cycle.goalId, code: asked.error.code });
  return mayPass(asked.error) ? "wait" : { kind: "ask_refused", at, code: asked.error.code };
}

/** What became of the request. Nobody's answer is no answer: it ends the cycle and runs nothing. [GOAL-07] */
export async function decisionOn(deps: AskDeps, { repair }: Cycle): Promise<CycleFact | "wait"> {
  assert(repair !== null && repair.requestId !== null, "GOAL-06 the owner was asked");
  const at = deps.clock.now();
  const request = await deps.approvals.find(repair.requestId);
  if (!request.ok || request.value === null) return "wait";
  switch (request.value.state) {
    case "pending":
      return "wait";
    case "declined":
      return { kind: "declined", at };
    case "expired":
      return { kind: "expired", at };
    case "approved":
      return approvalOf(deps, request.value);
  }
}

async function approvalOf({ approvals, clock }: AskDeps, { tokenId }: KeptRequest): Promise<CycleFact | "wait"> {
  assert(tokenId !== null, "what was approved has its approval");
  const kept = await approvals.findApproval(tokenId);
  if (!kept.ok && mayPass(kept.error)) return "wait";
  const at = clock.now();
  const use = kept.ok ? kept.value?.uses[0] : undefined;
  if (use !== undefined) return { kind: "approved", at, runId: use.attemptLineage, tokenId };
  // What is damaged or gone does not come back by waiting for it. [APPR-23]
  return { kind: "ask_refused", at, code: kept.ok ? "approval_missing" : kept.error.code };
}
