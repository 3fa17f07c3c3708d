import { LIMITS, msOfInstant } from "#base";
import type { Config, MessageKind, QueueMessage } from "#model";
import { createMutex, type Clock, type Log, type Mutex, type Timers } from "#ports";
import { createAlarm, type Alarm } from "../alarm.ts";
import { Fault } from "../fault.ts";
import type { Queue } from "./queue.ts";
import type { LeasedMessage, Return } from "./table.ts";

/** `done`: the message is settled, with what follows from it and what is written with it. */
export type Outcome =
  | { readonly how: "done"; readonly derived?: readonly QueueMessage[]; readonly write?: () => void }
  | Return;
export const DONE: Outcome = { how: "done" };
/** Not the fault of the message: it is tried again later, and this try does not count. */
export const UNUSED: Return = { how: "unused" };
const FAILED: Return = { how: "failed", reason: "handling_failed" };

export type ReaderDeps = {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly bus: Config["bus"];
  /** Nothing is leased while everything is stopped. */
  readonly isStopped: () => Promise<boolean>;
};
export type Reading = {
  /** Leases are held under it; a restarted reader with the same name takes back its own. */
  readonly name: string;
  readonly kinds: readonly MessageKind[];
  /** How many messages are handled at once; messages with the same order key never are. */
  readonly atOnce: number;
  /** The signal is aborted when the lease is lost: another holder has the message, and nothing more may come of it here. */
  readonly handle: (leased: LeasedMessage, lost: AbortSignal) => Promise<Outcome>;
  /** Ends the work of dead messages, so that nothing seems to wait that nobody will do. */
  readonly endDead: () => Promise<void>;
  /** Ends at once what is being handled. */
  readonly halt: () => void;
};

export type Reader = {
  /** Handles what is ready, now and whenever a message is added. */
  start(): void;
  /** Handles what is ready. */
  wake(): void;
  /** The same, with messages that rest for no fault of their own. */
  retry(): Promise<void>;
  /** Handles this message alone, or waits until it is handled; false when it cannot be leased. */
  handleOnly(id: string): Promise<boolean>;
  holds(id: string): boolean;
  /** Resolves when nothing is ready and nothing is handled. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/** How long a message rests after a try that came to nothing; each try in vain doubles it. */
const REST_FIRST_MS = 5_000;
const REST_LAST_MS = 300_000;

type State = ReaderDeps & {
  readonly reading: Reading;
  readonly leaseMs: number;
  readonly held: Map<string, LeasedMessage>;
  readonly handling: Map<string, Promise<void>>;
  /** How the handler of a held message is told that its lease is lost. */
  readonly losing: Map<string, AbortController>;
  /** Held until their rest is over, with how they are given back then. */
  readonly resting: Map<string, Return>;
  /** Leasing, and what must not happen beside it. */
  readonly inLine: Mutex;
  isRecovered: boolean;
  /** Messages may be dead whose work was not ended yet. */
  hasDead: boolean;
  isClosed: boolean;
  /** When the leases were last prolonged, or the first of them was taken. */
  prolongedMs: number;
  restMs: number;
  unsubscribe: (() => void) | null;
  /** Rings when what rests is tried again. */
  readonly rest: Alarm;
  /** Rings when leases are prolonged. */
  readonly beat: Alarm;
};

/**
 * Handles messages of some kinds, each under a lease that a heartbeat prolongs until its work is over. A handler that
 * throws fails its own message only. A message whose lease was lost belongs to another holder, which settles it. [BUS-12]
 */
export function createReader(deps: ReaderDeps, reading: Reading): Reader {
  const state: State = {
    ...deps,
    reading,
    leaseMs: deps.bus.leaseSeconds * 1000,
    held: new Map(),
    handling: new Map(),
    losing: new Map(),
    resting: new Map(),
    inLine: createMutex(),
    isRecovered: false,
    hasDead: false,
    isClosed: false,
    prolongedMs: 0,
    restMs: REST_FIRST_MS,
    unsubscribe: null,
    rest: createAlarm(deps.timers, () => tryAgain(state)),
    beat: createAlarm(deps.timers, () => prolongAll(state)),
  };
  const ignoreDied = deps.queue.onDied(() => {
    state.hasDead = true;
    void inLine(state, endDead);
  });
  return {
    start() {
      state.unsubscribe ??= deps.queue.onAdded(() => void pump(state));
      state.hasDead = true;
      void pump(state);
    },
    wake: () => void pump(state),
    async retry() {
      await giveBackResting(state, "unused");
      await pump(state);
    },
    handleOnly: (id) =>
      handleOnly(state, id).catch((cause: unknown) => {
        failed(state, cause);
        return false;
      }),
    holds: (id) => state.held.has(id),
    idle: () => idle(state),
    async close() {
      state.isClosed = true;
      state.unsubscribe?.();
      ignoreDied();
      state.rest.cancel();
      reading.halt();
      await state.inLine(nothing);
      await Promise.all(state.handling.values());
      // A lease that cannot be given back now is taken back by the next start, under the same name.
      await giveBackAll(state).catch((cause: unknown) => deps.log.error("leases_not_returned", { cause }));
      state.beat.cancel();
    },
  };
}

/** One lease after the other, so that two wakes never lease more than may be handled at once. */
const pump = (state: State): Promise<void> => inLine(state, leaseAll);

function inLine(state: State, work: (state: State) => Promise<void>): Promise<void> {
  return state.inLine(() => work(state)).catch((cause: unknown) => failed(state, cause));
}

const nothing = async (): Promise<void> => {};

function failed(state: State, cause: unknown): void {
  state.log.error("queue_unreadable", { reader: state.reading.name, cause });
  rest(state);
}

async function leaseAll(state: State): Promise<void> {
  const { reading, handling } = state;
  if (state.isClosed) return;
  await endDead(state);
  if (await state.isStopped()) return;
  await recover(state);
  while (handling.size < reading.atOnce && state.held.size < LIMITS.leasesHeld) {
    const leased = await lease(state, { countMax: reading.atOnce - handling.size });
    for (const one of leased) void begin(state, one);
    if (leased.length === 0) break;
  }
}

/** A failure is tried again after a rest, and keeps no message from being leased. */
async function endDead(state: State): Promise<void> {
  if (!state.hasDead || state.isClosed) return;
  state.hasDead = false;
  try {
    await state.reading.endDead();
  } catch (cause) {
    state.hasDead = true;
    failed(state, cause);
  }
}

async function lease(
  state: State,
  { countMax, id }: { readonly countMax: number; readonly id?: string },
): Promise<readonly LeasedMessage[]> {
  const { queue, clock, bus, leaseMs, held, reading } = state;
  const at = clock.now();
  // A machine that slept finds all of its leases expired; they are its own until another holder takes them.
  if (held.size > 0 && msOfInstant(at) - state.prolongedMs >= leaseMs) await heartbeat(state);
  const { name: holder, kinds } = reading;
  const room = Math.min(countMax, LIMITS.leasesHeld - held.size);
  const leased = await queue.lease({
    kinds,
    holder,
    countMax: room,
    at,
    leaseMs,
    deliveriesMax: bus.deliveriesMax,
    id,
  });
  if (held.size === 0) state.prolongedMs = msOfInstant(at);
  for (const one of leased) held.set(one.id, one);
  keepHeartbeat(state);
  return leased;
}

async function recover(state: State): Promise<void> {
  if (state.isRecovered) return;
  await state.queue.recover(state.reading.name, state.clock.now());
  state.isRecovered = true;
}

function begin(state: State, leased: LeasedMessage): Promise<void> {
  const work = handle(state, leased)
    .catch((cause: unknown) => failed(state, cause))
    .finally(() => {
      if (state.handling.get(leased.id) === work) state.handling.delete(leased.id);
      void pump(state);
    });
  state.handling.set(leased.id, work);
  return work;
}

async function handle(state: State, leased: LeasedMessage): Promise<void> {
  const { reading, log } = state;
  const { id } = leased;
  const losing = new AbortController();
  state.losing.set(id, losing);
  const outcome = state.isClosed
    ? UNUSED
    : await reading.handle(leased, losing.signal).catch((cause: unknown): Outcome => {
        log.error("message_failed", { reader: reading.name, message_id: id, cause });
        return FAILED;
      });
  if (state.held.get(id)?.fence !== leased.fence) return;
  const back = outcome.how === "done" ? await settle(state, { id, outcome }) : outcome;
  if (back === null) {
    state.restMs = REST_FIRST_MS;
    return;
  }
  state.resting.set(id, back);
  if (state.isClosed || back.how === "hopeless") await giveBack(state, { id, back });
  rest(state);
}

async function handleOnly(state: State, id: string): Promise<boolean> {
  if (state.isClosed || (await state.isStopped())) return false;
  await state.handling.get(id);
  await recover(state);
  const back = state.resting.get(id);
  if (back !== undefined) await giveBack(state, { id, back });
  const [leased] = await lease(state, { countMax: 1, id });
  if (leased !== undefined) await begin(state, leased);
  else {
    // It may just have been leased with others.
    await state.inLine(nothing);
    await state.handling.get(id);
  }
  return leased !== undefined;
}

/** Everything that rests is tried again after a while. */
function rest(state: State): void {
  if (state.isClosed || state.rest.isSet()) return;
  const delayMs = state.restMs;
  state.restMs = Math.min(delayMs * 2, REST_LAST_MS);
  state.rest.set(delayMs);
}

async function tryAgain(state: State): Promise<null> {
  try {
    await giveBackResting(state);
  } catch (cause) {
    failed(state, cause);
  }
  await pump(state);
  return null;
}

async function giveBackResting(state: State, only?: Return["how"]): Promise<void> {
  for (const [id, back] of state.resting)
    if (only === undefined || back.how === only) await giveBack(state, { id, back });
}

async function giveBackAll(state: State): Promise<void> {
  await giveBackResting(state);
  for (const id of state.held.keys()) await giveBack(state, { id, back: UNUSED });
}

async function idle(state: State): Promise<void> {
  await pump(state);
  while (state.handling.size > 0) {
    await Promise.all(state.handling.values());
    await state.inLine(nothing);
  }
}

type Ending = { readonly id: string; readonly outcome: Extract<Outcome, { readonly how: "done" }> };

/**
 * A lease whose time is over still settles, as long as nobody else has the message. Answers null when this reader is done
 * with it, and otherwise with how to give it back.
 */
async function settle(state: State, ending: Ending): Promise<Return | null> {
  try {
    const refusal = await settleOnce(state, ending);
    if (refusal !== "lease_lost") return refusal === null ? null : FAILED;
    await heartbeat(state);
    return (await settleOnce(state, ending)) === null ? null : FAILED;
  } catch (cause) {
    state.log.error("message_unsettled", { message_id: ending.id, cause });
    return cause instanceof Fault && cause.retryable ? UNUSED : FAILED;
  }
}

async function settleOnce(state: State, { id, outcome: { how: _done, ...outcome } }: Ending): Promise<string | null> {
  const found = state.held.get(id);
  if (found === undefined) return null;
  const settled = await state.queue.settle({ lease: found, at: state.clock.now(), ...outcome });
  if (settled.ok) drop(state, id);
  else if (settled.error.code !== "lease_lost")
    state.log.error("message_unsettled", { message_id: id, ...settled.error });
  return settled.ok ? null : settled.error.code;
}

async function giveBack(state: State, { id, back }: { readonly id: string; readonly back: Return }): Promise<void> {
  const found = state.held.get(id);
  if (found === undefined) return drop(state, id);
  const { queue, clock, bus } = state;
  await queue.giveBack({ lease: found, back, at: clock.now(), deliveriesMax: bus.deliveriesMax });
  drop(state, id);
}

function keepHeartbeat({ held, bus, beat }: State): void {
  if (held.size > 0 && !beat.isSet()) beat.set(bus.heartbeatSeconds * 1000);
}

async function prolongAll(state: State): Promise<number | null> {
  await heartbeat(state).catch((cause: unknown) => state.log.error("heartbeat_failed", { cause }));
  return state.held.size > 0 ? state.bus.heartbeatSeconds * 1000 : null;
}

async function heartbeat(state: State): Promise<void> {
  const { queue, held, clock, leaseMs, log } = state;
  if (held.size === 0) return;
  const at = clock.now();
  const lost = await queue.heartbeat([...held.values()], { at, leaseMs });
  state.prolongedMs = msOfInstant(at);
  for (const { id, fence } of lost) {
    if (held.get(id)?.fence !== fence) continue;
    log.warn("lease_lost", { message_id: id });
    state.losing.get(id)?.abort();
    drop(state, id);
  }
}

function drop(state: State, id: string): void {
  state.held.delete(id);
  state.losing.delete(id);
  state.resting.delete(id);
  if (state.held.size === 0) state.beat.cancel();
}
