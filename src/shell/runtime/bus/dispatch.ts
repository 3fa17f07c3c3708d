import { deadWords, dispatchedRun, dispatchIdOf, runOfDispatch, type DeadReason } from "#model";
import type { GivenBack, GrantedRun, LeasedMessage, WorkStore } from "#ports";
import { createHeldLeases, UNUSED, type HeldLeases, type ReaderDeps } from "./held-leases.ts";

type DispatchDeps = ReaderDeps & {
  readonly store: Pick<WorkStore, "find" | "grantOf">;
  readonly isStopped: () => Promise<boolean>;
};
/** What is done about a run that was granted. */
type Driver = {
  /** Settles when it is over, or left where it is; `busy` when it is on its way already. */
  drive(grant: GrantedRun): Promise<"left" | "busy" | "broken">;
  /** Told of a run that did not begin, so that it is tried again after a while. */
  rest(runId: string): Promise<void>;
  /** Ends a run that nobody will begin any more. */
  giveUp(grant: GrantedRun, reason: string): Promise<void>;
};

/** The one way from an approval to its run. */
type Dispatch = {
  /** The same store, where the first record of a run settles the message about it. */
  watch(store: WorkStore): WorkStore;
  /** Begins whatever was granted, unless everything is stopped. */
  look(): Promise<void>;
  /** Begins this one alone, and answers when that is over. */
  runOne(runId: string): Promise<void>;
  /** The same, with what was tried in vain before; what was tried too often is given up. */
  lookAgain(): Promise<void>;
  close(): Promise<void>;
};

type Parts = DispatchDeps & {
  readonly driver: Driver;
  readonly held: HeldLeases;
  /** Messages that were tried in vain and are held for a while, with how they are given back. */
  readonly resting: Map<string, GivenBack>;
};

/**
 * Reads the queue of the runtime. INVARIANT: a message begins nothing by itself: run, grant, plan and approval are read
 * again from where they are kept, and a run that was begun is not begun again, however often it is told. [WORK-06] [WSTORE-06]
 */
export function createDispatch(deps: DispatchDeps, driver: Driver): Dispatch {
  const held = createHeldLeases(deps, { name: "work_runner", queue: "runtime_queue" });
  const parts: Parts = { ...deps, driver, held, resting: new Map() };
  return {
    watch: (store) => ({
      ...store,
      async begin(change) {
        const begun = await store.begin(change);
        if (begun.ok) await held.settle(dispatchIdOf(change.run.runId));
        return begun;
      },
    }),
    look: () => look(parts),
    async lookAgain() {
      for (const [messageId, back] of parts.resting) await giveBack(parts, { messageId, back });
      await look(parts);
      await endDead(parts);
    },
    runOne: (runId) => runOne(parts, runId),
    async close() {
      for (const [messageId, back] of parts.resting) await giveBack(parts, { messageId, back });
      await held.close();
    },
  };
}

async function look(parts: Parts): Promise<void> {
  if (await parts.isStopped()) return;
  for (const leased of await parts.held.take()) void act(parts, leased);
}

async function runOne(parts: Parts, runId: string): Promise<void> {
  const { held, resting } = parts;
  const messageId = dispatchIdOf(runId);
  if (resting.has(messageId)) return begin(parts, runId);
  const [leased] = await held.take(messageId);
  if (leased !== undefined) await act(parts, leased);
  else if (!held.has(messageId)) await endDead(parts);
}

async function act(parts: Parts, { message, messageId }: LeasedMessage): Promise<void> {
  const runId = dispatchedRun(message);
  if (runId !== null) return begin(parts, runId);
  await parts.held.giveBack(messageId, { how: "hopeless", reason: "not_understood" });
}

async function begin(parts: Parts, runId: string): Promise<void> {
  const { store, driver, held, resting } = parts;
  const messageId = dispatchIdOf(runId);
  resting.delete(messageId);
  const run = await store.find(runId);
  if (run.ok && run.value !== null) return held.settle(messageId);
  const grant = await store.grantOf(runId);
  if (!run.ok || !grant.ok) return conclude(parts, { runId, back: faultBack([run, grant]) });
  if (grant.value === null) return conclude(parts, { runId, back: failed("grant_missing") });
  const went = await driver.drive(grant.value);
  if (went !== "busy") await conclude(parts, { runId, back: went === "broken" ? failed("handling_failed") : UNUSED });
}

const failed = (reason: DeadReason): GivenBack => ({ how: "failed", reason });

type Asked = { readonly ok: boolean; readonly error?: { readonly retryable: boolean } };

/** What the disk could not do now is no fault of the message. */
const faultBack = (answers: readonly Asked[]): GivenBack =>
  answers.every(({ error }) => error === undefined || error.retryable) ? UNUSED : failed("handling_failed");

type Concluding = { readonly runId: string; readonly back: GivenBack };

/** Nothing drives it any more: either it was begun, or it is tried again later. */
async function conclude(
  { store, driver, held, resting, isStopped }: Parts,
  { runId, back }: Concluding,
): Promise<void> {
  const messageId = dispatchIdOf(runId);
  if (!held.has(messageId)) return;
  const run = await store.find(runId);
  if (run.ok && run.value !== null) return held.settle(messageId);
  // Whoever takes the stop back looks again.
  if (await isStopped()) return held.giveBack(messageId, UNUSED);
  resting.set(messageId, back);
  await driver.rest(runId);
}

type Giving = { readonly messageId: string; readonly back: GivenBack };

async function giveBack({ held, resting }: Parts, { messageId, back }: Giving): Promise<void> {
  await held.giveBack(messageId, back);
  // What could not be given back rests on.
  if (!held.has(messageId)) resting.delete(messageId);
}

/** A run about which nobody is told any more is not left as one that waits. */
async function endDead({ queue, store, driver, log }: Parts): Promise<void> {
  const dead = await queue.deadLetters("runtime_queue");
  if (!dead.ok) return log.error("queue_unreadable", dead.error);
  for (const letter of dead.value) {
    const runId = runOfDispatch(letter.messageId);
    const run = runId === null ? null : await store.find(runId);
    if (runId === null || run === null || !run.ok || run.value !== null) continue;
    const grant = await store.grantOf(runId);
    if (grant.ok && grant.value !== null) await driver.giveUp(grant.value, deadWords(letter));
  }
}
