import { LIMITS } from "#base";
import {
  asResult,
  createReader,
  DONE,
  UNUSED,
  type LeasedMessage,
  type Outcome,
  type Reader,
  type ReaderDeps,
} from "#engine";
import { deadWords, dispatchIdOf, dispatchOf, type StoreFault } from "#model";
import type { GrantedRun, WorkStore } from "#ports";
import type { Preparing } from "../work/end-undriven.ts";

type DispatchDeps = ReaderDeps & { readonly store: Pick<WorkStore, "find" | "grantOf"> };
/** Drives runs that were granted. */
type Driver = {
  /** Resolves when the run is over, or left where it is. */
  drive(preparing: Preparing): Promise<void>;
  /** Ends a run whose grant is gone. */
  endUngranted(run: NonNullable<Preparing["kept"]>): Promise<void>;
  /** Ends a run whose message is dead. */
  giveUp(grant: GrantedRun, reason: string): Promise<void>;
};

/** The one way from an approval to its run. */
export type Dispatch = Reader & {
  /** Makes sure that a run which was begun and has not ended has its message. */
  ensure(run: { readonly runId: string; readonly workItemId: string }): Promise<void>;
  /** Drives this run alone, begun or not, and resolves when it is over. */
  runOne(runId: string): Promise<void>;
};

/**
 * Handles granted runs. The lease is held until the run is over, so a run that a killed process left is delivered again
 * and goes on where its records end. INVARIANT: a message grants nothing: run, grant, plan and approval are loaded from
 * their stores, and a run that has ended is never driven again. [WORK-06] [WSTORE-06]
 */
export function createDispatch(deps: DispatchDeps, driver: Driver): Dispatch {
  const reader = createReader(deps, {
    name: "main/work_runner",
    kinds: ["system_event"],
    // How many of them run at once is decided by the places and claims of their plans.
    atOnce: LIMITS.leasesHeld,
    handle: (leased) => handle(deps, { driver, leased }),
    endDead: () => endDead(deps, driver),
    halt: () => {},
  });
  const ensure: Dispatch["ensure"] = async ({ runId, workItemId }) => {
    const at = deps.clock.now();
    const message = dispatchOf({ runId, workItemId, at, actor: { kind: "system" } });
    await logFault(deps, deps.queue.reopen(message, at));
  };
  const runOne = async (runId: string): Promise<void> => {
    const run = await deps.store.find(runId);
    if (run.ok && run.value !== null && run.value.endedAt === null) await ensure(run.value);
    const id = dispatchIdOf(runId);
    if (!(await reader.handleOnly(id)) && !reader.holds(id)) await endDead(deps, driver);
  };
  return {
    ...reader,
    ensure,
    runOne: (runId) => logFault(deps, runOne(runId)),
  };
}

async function logFault({ log }: Pick<DispatchDeps, "log">, work: Promise<void>): Promise<void> {
  const done = await asResult(work);
  if (!done.ok) log.error("queue_unreadable", done.error);
}

type Handling = { readonly driver: Driver; readonly leased: LeasedMessage };

async function handle({ store, log }: DispatchDeps, { driver, leased: { message } }: Handling): Promise<Outcome> {
  if (message.kind !== "system_event") return { how: "hopeless", reason: "not_understood" };
  const { runId } = message.payload;
  const run = await store.find(runId);
  if (!run.ok) return faultOutcome(run.error);
  if (run.value !== null && run.value.endedAt !== null) return DONE;
  const grant = await store.grantOf(runId);
  if (!grant.ok) return faultOutcome(grant.error);
  if (grant.value === null && run.value === null) return { how: "failed", reason: "grant_missing" };
  let outcome: Outcome = UNUSED;
  if (grant.value === null) await driver.endUngranted(run.value as NonNullable<typeof run.value>);
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
async function endDead({ queue, store }: DispatchDeps, driver: Driver): Promise<void> {
  for (const { message, ...letter } of queue.dead()) {
    if (message?.kind !== "system_event") continue;
    const { runId } = message.payload;
    const run = await store.find(runId);
    if (!run.ok || run.value !== null) continue;
    const grant = await store.grantOf(runId);
    if (grant.ok && grant.value !== null) await driver.giveUp(grant.value, deadWords(letter));
  }
}
