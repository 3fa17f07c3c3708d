import { ok, type Result } from "#base";
import type { AuditActor, RunRecord, StoreFault, WorkRefusal } from "#model";
import type { Clock, WorkStore } from "#ports";
import { advanceRun, reloadRun } from "#work";
import { cancelUndriven, lostGrant, type Preparing } from "../end-undriven.ts";
import { loadPlan, type PlanDeps } from "../load-plan.ts";

export type LeftDeps = PlanDeps & {
  readonly store: WorkStore;
  readonly clock: Clock;
  readonly onChanged: () => void;
};
type Ended = Promise<Result<RunRecord, StoreFault | WorkRefusal>>;

/**
 * Ends a run that a process left, as somebody's word. A step that was begun and not seen to end is not forgotten by it: if
 * it may have changed a place outside, the run is in doubt.
 */
export async function cancelLeft(deps: LeftDeps, { run, actor }: { run: RunRecord; actor: AuditActor }): Ended {
  const { store, clock, onChanged } = deps;
  const found = await store.grantOf(run.runId);
  if (!found.ok) return found;
  const ledger = await store.ledger(run.runId);
  if (!ledger.ok) return ledger;
  const left: Preparing = { grant: found.value ?? lostGrant(run), kept: run };
  const loaded = await loadPlan(deps, left.grant);
  if (!loaded.ok || loaded.value.item.type !== "task") return cancelUndriven(deps, { ...left, actor });
  const at = clock.now();
  const state = reloadRun({ plan: loaded.value.item, systemGates: [], run, ledger: ledger.value, at });
  const [last] = advanceRun(state, { kind: "cancel", at }).effects;
  if (last?.kind !== "finish") return cancelUndriven(deps, { ...left, actor });
  const written = await store.save({ ...last, at, actor });
  onChanged();
  return written.ok ? ok(last.run) : written;
}
