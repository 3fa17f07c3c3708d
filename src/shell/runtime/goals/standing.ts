import { assert, err, ok, type Result } from "#base";
import type { ApprovalToken, Cycle, KeptApproval, StoreFault } from "#model";
import { beyondLimits, judgeVerify } from "#policy";
import type { ApprovalStore, Clock, CurrentLimits, KeyRegistry } from "#ports";
import { FILE_ALONE, readSpawn, repairTask } from "#work";
import { readToken, signatureFact } from "../approvals/tokens.ts";
import { mayPass } from "../work/load-plan.ts";
import type { LoadedGoal } from "./load-goal.ts";

export type StandingDeps = {
  readonly approvals: Pick<ApprovalStore, "approvalsOf" | "spend">;
  readonly registry: KeyRegistry;
  readonly clock: Clock;
  /** What standing approvals are used for, how often and how long, whatever they say themselves. */
  readonly limits: CurrentLimits;
};
type Standing = { readonly token: ApprovalToken; readonly kept: KeptApproval };
/** The first reason why the standing approval does not do. */
type StandingRefused = { readonly code: string };

/** The approval that a goal's own approval gave for later; null when it gave none. */
export async function findStanding(
  { approvals }: { readonly approvals: Pick<ApprovalStore, "approvalsOf"> },
  requestId: string,
): Promise<Result<Standing | null, StoreFault>> {
  const given = await approvals.approvalsOf(requestId);
  if (!given.ok) return given;
  for (const kept of given.value) {
    const token = readToken(kept.token);
    if (token?.scope === "standing") return ok({ token, kept });
  }
  return ok(null);
}

type Using = { readonly goal: LoadedGoal; readonly cycle: Cycle };

/**
 * Uses the standing approval once for the repair of a cycle: verified whole, and counted by the commit that makes the
 * attempt. INVARIANT: the attempt was named before, so that asking twice uses it once. [GOAL-04] [GOAL-05]
 */
export async function spendStanding(
  deps: StandingDeps,
  { goal, cycle }: Using,
): Promise<Result<{ readonly tokenId: string }, StandingRefused | StoreFault>> {
  const { item, contentHash, request } = goal;
  const { repair } = cycle;
  assert(
    repair !== null && repair.runId !== null,
    "GOAL-03 the repair and its attempt are known before they are granted",
  );
  const standing = await findStanding(deps, request.requestId);
  if (!standing.ok) return standing;
  if (standing.value === null) return err({ code: "standing_missing" });
  const { token, kept } = standing.value;
  const { tokenId } = token;
  const lineage = repair.runId;
  const isUsed = kept.uses.some((use) => use.attemptLineage === lineage && use.contentHash === repair.taskHash);
  if (isUsed) return ok({ tokenId });
  const { item: task } = repairTask({ goal: { item, requestId: request.requestId }, cycle });
  const at = deps.clock.now();
  const limits = await deps.limits.read();
  if (!limits.ok) return limits;
  const over = beyondLimits({ issuedAt: token.issuedAt, uses: kept.uses.length, at }, limits.value);
  if (over !== null) return err({ code: over });
  const signature = await signatureFact(deps.registry, token);
  if (!signature.ok) return signature;
  const judged = judgeVerify({
    token,
    signature: signature.value,
    item: { workItemId: item.id, contentHash },
    scope: "standing",
    spawn: readSpawn({ goal: item, task, facts: { ...FILE_ALONE, skills: goal.skills } }),
    at,
    uses: kept.uses,
    lineage,
    isVoid: kept.isVoid,
  });
  if (!judged.ok) return err({ code: judged.error.code });
  const spent = await deps.approvals.spend({
    token: kept.token,
    workItemId: task.id,
    contentHash: judged.value.contentHash,
    attemptLineage: lineage,
    friction: [],
    at,
    actor: { kind: "system" },
    judged: null,
    also: [],
  });
  if (spent.ok) return ok({ tokenId });
  return mayPass(spent.error) ? err(spent.error as StoreFault) : err({ code: spent.error.code });
}
