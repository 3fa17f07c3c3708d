import { ok, type Result } from "#base";
import type { AuditActor, RunRecord, StoreFault, WorkRefusal } from "#model";
import type { Clock, GrantedRun, Log, RunNote, WorkStore } from "#ports";
import { blockedRun, brokenRun, cancelledRun, unbegunRun } from "./unrun.ts";

/** Ends of runs that nothing drives: those that wait, those that another process left, those that cannot go on. */

export type Preparing = { readonly grant: GrantedRun; readonly kept: RunRecord | null };
type EndDeps = { readonly store: WorkStore; readonly clock: Clock; readonly log: Log; readonly onChanged: () => void };

export const SYSTEM: AuditActor = { kind: "system" };

type Ending = {
  readonly kept: RunRecord | null;
  readonly run: RunRecord;
  readonly events: readonly RunNote[];
  readonly actor: AuditActor;
};

async function end(
  { store, clock, onChanged }: Omit<EndDeps, "log">,
  { kept, run, events, actor }: Ending,
): Promise<Result<RunRecord, StoreFault | WorkRefusal>> {
  const change = { run, entries: [], events, at: clock.now(), actor };
  const written = await (kept === null ? store.begin(change) : store.save(change));
  onChanged();
  return written.ok ? ok(run) : written;
}

export async function endBlocked(
  deps: EndDeps,
  { grant, kept, reason }: Preparing & { readonly reason: string },
): Promise<void> {
  const run = blockedRun({ grant, kept, reason, at: deps.clock.now() });
  const events: readonly RunNote[] = [{ kind: "execution_blocked_no_approval", reason }, { kind: "run_ended" }];
  const ended = await end(deps, { kept, run, events, actor: SYSTEM });
  if (!ended.ok) deps.log.error("run_stopped", { run_id: grant.runId, ...ended.error });
}

/** Its approval holds, and something else keeps it from beginning. */
export async function endUnbegun(
  deps: EndDeps,
  { grant, kept, reason }: Preparing & { readonly reason: string },
): Promise<void> {
  const run = unbegunRun({ grant, kept, reason, at: deps.clock.now() });
  const ended = await end(deps, { kept, run, events: [{ kind: "run_ended" }], actor: SYSTEM });
  if (!ended.ok) deps.log.error("run_stopped", { run_id: grant.runId, ...ended.error });
}

/** Its grant is gone, so that nothing can tell any more whether it was approved. */
export async function endWithoutGrant(deps: EndDeps, run: RunRecord): Promise<void> {
  await endBlocked(deps, { grant: lostGrant(run), kept: run, reason: "approval_missing" });
}

/** What is left of a grant that nobody finds any more. */
export const lostGrant = ({ runId, workItemId, tokenId, planHash, startedAt }: RunRecord): GrantedRun => ({
  runId,
  requestId: "",
  workItemId,
  tokenId,
  planHash,
  grantedAt: startedAt,
  projectRunId: null,
});

type Broken = { readonly grant: GrantedRun; readonly status: "in_doubt" | "stuck" };

/** After a mistake of our own: nobody is left with a run that seems to go on until the next start. */
export async function endBroken(deps: EndDeps, { grant, status }: Broken): Promise<void> {
  const found = await deps.store.find(grant.runId);
  if (!found.ok || (found.value !== null && found.value.endedAt !== null)) return;
  const kept = found.value;
  const run = brokenRun({ grant, kept, status, at: deps.clock.now() });
  const ended = await end(deps, { kept, run, events: [{ kind: "run_ended" }], actor: SYSTEM });
  if (!ended.ok) deps.log.error("run_stopped", { run_id: grant.runId, ...ended.error });
}

/** Ends a run that nothing drives here, as somebody's word. */
export async function cancelUndriven(
  deps: Omit<EndDeps, "log">,
  { grant, kept, actor }: Preparing & { readonly actor: AuditActor },
): Promise<Result<RunRecord, StoreFault | WorkRefusal>> {
  const run = cancelledRun({ grant, kept, at: deps.clock.now() });
  return end(deps, { kept, run, events: [{ kind: "run_ended" }], actor });
}
