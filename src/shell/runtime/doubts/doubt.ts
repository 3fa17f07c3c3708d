import { ok, type Result } from "#base";
import type { Doubt, LedgerEntry, RunRecord, StoreFault, WorkItem } from "#model";
import type { WorkStore } from "#ports";
import { loadPlan, type PlanDeps } from "../work/load-plan.ts";

type DoubtParts = PlanDeps & { readonly store: Pick<WorkStore, "grantOf" | "ledger"> };

/**
 * What is known of a run in doubt. A plan that cannot be read any more names no places and no checks,
 * and what is damaged of it is left out: that it is in doubt is told all the same.
 */
export async function doubtOf(deps: DoubtParts, run: RunRecord): Promise<Result<Doubt, StoreFault>> {
  const { runId, workItemId, lastError, results, startedAt, endedAt } = run;
  const ledger = await deps.store.ledger(runId);
  if (!ledger.ok && ledger.error.retryable) return ledger;
  const grant = await deps.store.grantOf(runId);
  if (!grant.ok) return grant;
  const request = await deps.approvals.find(grant.value?.requestId ?? "");
  if (!request.ok && request.error.retryable) return request;
  const asked = request.ok ? request.value : null;
  const loaded = grant.value === null ? null : await loadPlan(deps, grant.value);
  const plan = loaded?.ok === true ? loaded.value.item : null;
  const isWhole = asked?.planHash === run.planHash;
  return ok({
    runId,
    requestId: grant.value?.requestId ?? "",
    workItemId,
    title: (isWhole ? null : plan?.title) ?? asked?.card.intent.replace(/^Run: /, "") ?? workItemId,
    reason: lastError ?? "",
    step: stepIn(plan, ledger.ok ? ledger.value : []),
    places: [...(plan?.files.write ?? [])],
    results: [...results],
    checks: plan?.verify.length ?? 0,
    since: endedAt ?? startedAt,
  });
}

/** The last step that was begun. */
function stepIn(plan: WorkItem | null, ledger: readonly LedgerEntry[]): Doubt["step"] {
  const last = ledger.at(-1);
  if (last === undefined) return null;
  return {
    attempt: last.attempt,
    number: last.stepIndex + 1,
    steps: plan?.steps.length ?? last.stepIndex + 1,
    name: last.stepName,
    isOpen: last.state !== "ended",
    startedAt: last.startedAt,
  };
}
