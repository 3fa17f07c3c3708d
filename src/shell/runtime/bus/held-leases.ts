import { LIMITS, msOfInstant } from "#base";
import type { Config, QueueName } from "#model";
import type { Clock, GivenBack, LeasedMessage, Log, QueueStore, Timers } from "#ports";

export type ReaderDeps = {
  readonly queue: QueueStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly bus: Config["bus"];
};
type Reader = { readonly name: string; readonly queue: QueueName };

/** What one reader has taken from its queue and not settled yet. */
export type HeldLeases = {
  /** The next messages, or this one alone. Whatever an ended process held is put back first, once. */
  take(messageId?: string): Promise<readonly LeasedMessage[]>;
  has(messageId: string): boolean;
  /** It was acted on, or there is nothing to do about it. */
  settle(messageId: string): Promise<void>;
  giveBack(messageId: string, back: GivenBack): Promise<void>;
  /** Gives back everything that nothing was tried with. */
  close(): Promise<void>;
};
export const UNUSED: GivenBack = { how: "unused" };

type Holding = ReaderDeps & {
  readonly reader: Reader;
  readonly held: Map<string, LeasedMessage>;
  readonly leaseMs: number;
  /** When the leases were last prolonged, or the first of them was taken. */
  beatenMs: number;
  /** Takes the next heartbeat back; null when none is to come. */
  cancel: (() => void) | null;
  isReady: boolean;
};

/**
 * Holds leases for as long as it takes, by a heartbeat: what waits for its turn may wait for hours. A message whose lease
 * was lost is not this reader's any more, and whoever has it now settles it. [BUS-12]
 */
export function createHeldLeases(deps: ReaderDeps, reader: Reader): HeldLeases {
  const leaseMs = deps.bus.leaseSeconds * 1000;
  const held = new Map<string, LeasedMessage>();
  const holding: Holding = { ...deps, reader, held, leaseMs, beatenMs: 0, cancel: null, isReady: false };
  return {
    take: (messageId) => take(holding, messageId),
    has: (messageId) => held.has(messageId),
    async settle(messageId) {
      if ((await settle(holding, messageId)) !== "lost") return;
      // Its time was over, which says nothing as long as nobody else has it.
      await beat(holding);
      await settle(holding, messageId);
    },
    giveBack: (messageId, back) => giveBack(holding, { messageId, back }),
    async close() {
      for (const messageId of held.keys()) await giveBack(holding, { messageId, back: UNUSED });
      holding.cancel?.();
    },
  };
}

async function take(holding: Holding, messageId: string | undefined): Promise<readonly LeasedMessage[]> {
  const { queue: store, reader, held, clock, leaseMs, log, bus } = holding;
  if (!(await putBack(holding))) return [];
  const taken: LeasedMessage[] = [];
  for (let isMore = true; isMore && held.size < LIMITS.leasesHeld;) {
    const at = clock.now();
    // A machine that slept finds all its leases over; they are its own until somebody else takes them.
    if (msOfInstant(at) - holding.beatenMs >= leaseMs) await beat(holding);
    const { queue, name: consumer } = reader;
    const countMax = LIMITS.leaseBatch;
    const asked = { queue, consumer, messageId, countMax, at, leaseMs, deliveriesMax: bus.deliveriesMax };
    const leased = await store.lease(asked);
    if (!leased.ok) log.error("queue_unreadable", leased.error);
    const found = leased.ok ? leased.value : [];
    if (held.size === 0) holding.beatenMs = msOfInstant(at);
    for (const one of found) held.set(one.messageId, one);
    taken.push(...found);
    isMore = messageId === undefined && found.length === countMax;
  }
  keepBeating(holding);
  return taken;
}

/** Nobody but this process reads what is kept here, so what is held as it begins is held by nobody. [BUS-14] */
async function putBack(holding: Holding): Promise<boolean> {
  if (holding.isReady) return true;
  const { queue: store, reader, log } = holding;
  const back = await store.putBack(reader.queue);
  if (!back.ok) log.error("queue_unreadable", back.error);
  holding.isReady = back.ok;
  return back.ok;
}

function keepBeating(holding: Holding): void {
  const { held, timers, bus } = holding;
  if (holding.cancel !== null || held.size === 0) return;
  holding.cancel = timers.after(bus.heartbeatSeconds * 1000, () => {
    holding.cancel = null;
    void beat(holding).then(() => keepBeating(holding));
  });
}

async function beat(holding: Holding): Promise<void> {
  const { queue: store, held, clock, leaseMs, log } = holding;
  if (held.size === 0) return;
  const at = clock.now();
  const lost = await store.heartbeat([...held.values()], { at, leaseMs });
  if (!lost.ok) return log.error("heartbeat_failed", lost.error);
  holding.beatenMs = msOfInstant(at);
  for (const { messageId, fence } of lost.value) {
    if (held.get(messageId)?.fence !== fence) continue;
    log.warn("lease_lost", { message_id: messageId });
    drop(holding, messageId);
  }
}

function drop(holding: Holding, messageId: string): void {
  holding.held.delete(messageId);
  if (holding.held.size > 0) return;
  holding.cancel?.();
  holding.cancel = null;
}

async function settle(holding: Holding, messageId: string): Promise<"settled" | "lost" | "failed"> {
  const lease = holding.held.get(messageId);
  if (lease === undefined) return "settled";
  const settled = await holding.queue.settle({ lease, at: holding.clock.now(), derived: [] });
  if (settled.ok) drop(holding, messageId);
  else holding.log.error("message_unsettled", { message_id: messageId, ...settled.error });
  return settled.ok ? "settled" : settled.error.code === "lease_lost" ? "lost" : "failed";
}

type Giving = { readonly messageId: string; readonly back: GivenBack };

async function giveBack(holding: Holding, { messageId, back }: Giving): Promise<void> {
  const lease = holding.held.get(messageId);
  if (lease === undefined) return;
  const { queue: store, clock, bus, log } = holding;
  const given = await store.nack({ lease, ...back, at: clock.now(), deliveriesMax: bus.deliveriesMax });
  if (given.ok || given.error.code === "lease_lost") drop(holding, messageId);
  else log.error("message_not_given_back", { message_id: messageId, ...given.error });
}
