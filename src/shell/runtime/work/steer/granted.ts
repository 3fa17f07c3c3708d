import { asResult, DONE, UNUSED, type DecisionParts, type Decisions, type Outcome, type Queue } from "#engine";
import { deadWords, decidedIdOf, decidedOf, subjectIdIn, type RunRecord, type StoreFault } from "#model";
import type { ApprovalStore, Clock, GrantedRun, Log, WorkStore } from "#ports";
import type { Preparing } from "../end-undriven.ts";

type GrantedDeps = {
  readonly store: Pick<WorkStore, "find" | "grantOf">;
  readonly approvals: Pick<ApprovalStore, "headings">;
  readonly queue: Pick<Queue, "reopen" | "dead">;
  readonly decisions: Pick<Decisions, "handleOnly" | "holds">;
  readonly clock: Clock;
  readonly log: Log;
};
/** Drives runs that were granted. */
type Driver = {
  /** Resolves when the run is over, or left where it is. */
  drive(preparing: Preparing): Promise<void>;
  /** Leaves the run where it is: another process drives it. */
  leave(runId: string): void;
  /** Ends a run whose grant is gone. */
  endUngranted(run: RunRecord): Promise<void>;
  /** Ends a run whose message is dead. */
  giveUp(dead: Preparing, reason: string): Promise<void>;
};

export type GrantedRuns = Pick<DecisionParts["runs"], "drive" | "endDead"> & {
  /** Makes sure that a run which was begun and has not ended has its message. */
  ensure(grant: GrantedRun): Promise<void>;
  /** Drives this run alone, begun or not, and resolves when it is over. */
  runOne(runId: string): Promise<void>;
};

/**
 * Runs that a decision granted, each driven while its message is held: a run that a killed process left is delivered again
 * and goes on where its records end. INVARIANT: a message grants nothing: run, grant, plan and approval are loaded from
 * their stores, and a run that has ended is never driven again. [WORK-06] [WSTORE-06]
 */
export function createGrantedRuns(deps: GrantedDeps, driver: Driver): GrantedRuns {
  const ensure = async ({ requestId, runId, workItemId }: GrantedRun): Promise<void> => {
    const at = deps.clock.now();
    const headings = await deps.approvals.headings([requestId]);
    const heading = headings.ok ? headings.value.get(requestId) : undefined;
    if (heading === undefined) return deps.log.error("run_not_resumed", { run_id: runId });
    const run = { runId, workItemId };
    const message = decidedOf({ requestId, kind: heading.kind, at, actor: { kind: "system" }, run });
    await logFault(deps, deps.queue.reopen(message, at));
  };
  const endDead = () => endDeadRuns(deps, driver);
  const runOne = async (runId: string): Promise<void> => {
    const [run, grant] = [await deps.store.find(runId), await deps.store.grantOf(runId)];
    const isBegun = run.ok && run.value !== null && run.value.endedAt === null;
    if (isBegun && grant.ok && grant.value !== null) await ensure(grant.value);
    const id = decidedIdOf(runId);
    if (!(await deps.decisions.handleOnly(id)) && !deps.decisions.holds(id)) await endDead();
  };
  return {
    drive: (runId, lost) => drive(deps, { driver, runId, lost }),
    endDead,
    ensure,
    runOne: (runId) => logFault(deps, runOne(runId)),
  };
}

async function logFault({ log }: Pick<GrantedDeps, "log">, work: Promise<void>): Promise<void> {
  const done = await asResult(work);
  if (!done.ok) log.error("queue_unreadable", done.error);
}

type Driving = { readonly driver: Driver; readonly runId: string; readonly lost: AbortSignal };

async function drive({ store, log }: GrantedDeps, { driver, runId, lost }: Driving): Promise<Outcome> {
  const run = await store.find(runId);
  if (!run.ok) return faultOutcome(run.error);
  if (run.value !== null && run.value.endedAt !== null) return DONE;
  const grant = await store.grantOf(runId);
  if (!grant.ok) return faultOutcome(grant.error);
  if (grant.value === null && run.value === null) return { how: "failed", reason: "grant_missing" };
  let outcome: Outcome = UNUSED;
  lost.addEventListener("abort", () => driver.leave(runId));
  if (grant.value === null) await driver.endUngranted(run.value as RunRecord);
  else {
    await driver.drive({ grant: grant.value, kept: run.value }).catch((cause: unknown) => {
      log.error("run_broken", { run_id: runId, cause });
      outcome = { how: "failed", reason: "handling_failed" };
    });
  }
  const after = await store.find(runId);
  return after.ok && after.value !== null && after.value.endedAt !== null ? DONE : outcome;
}

/** A fault that may pass is not the message's own. */
const faultOutcome = ({ retryable }: StoreFault): Outcome =>
  retryable ? UNUSED : { how: "failed", reason: "handling_failed" };

/** A run whose message is dead is not left waiting. */
async function endDeadRuns({ queue, store }: GrantedDeps, driver: Driver): Promise<void> {
  for (const letter of queue.dead()) {
    // Not every decision begins a run; the id tells it also where nobody can read the message.
    const runId = subjectIdIn(letter.id);
    if (runId === null) continue;
    const run = await store.find(runId);
    if (!run.ok || (run.value !== null && run.value.endedAt !== null)) continue;
    const grant = await store.grantOf(runId);
    if (!grant.ok || grant.value === null) continue;
    await driver.giveUp({ grant: grant.value, kept: run.value }, deadWords(letter));
  }
}
