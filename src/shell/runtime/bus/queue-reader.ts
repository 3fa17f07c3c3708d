import type { QueueName } from "#model";
import type { GivenBack, LeasedMessage } from "#ports";
import { createHeldLeases, UNUSED, type ReaderDeps } from "./held-leases.ts";

export type QueueReader = {
  /** Takes up whatever waits. */
  look(): void;
  /** Settles when nothing waits any more that could be taken up. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

type Reading = {
  readonly name: string;
  readonly queue: QueueName;
  /** Null when there is nothing left to do about the message. */
  readonly act: (leased: LeasedMessage) => Promise<GivenBack | null>;
  /** Ends what nobody is told of any more. */
  readonly endDead: () => Promise<void>;
  /** Ends at once whatever is being done. */
  readonly halt: () => void;
};
type Deps = ReaderDeps & { readonly isStopped: () => Promise<boolean> };

/** How long something rests that the disk or the stop kept from going on. */
const REST_MS = 30_000;

/** Reads one queue, one message after the other: what one of them does wrong is its own end, and the next is taken up. */
export function createQueueReader(deps: Deps, { name, queue, act, endDead, halt }: Reading): QueueReader {
  const held = createHeldLeases(deps, { name, queue });
  let line: Promise<void> = Promise.resolve();
  let isClosed = false;
  let cancel: (() => void) | null = null;
  const rest = (): void => {
    cancel ??= deps.timers.after(REST_MS, () => {
      cancel = null;
      look();
    });
  };
  const takeUp = async (): Promise<void> => {
    if (isClosed || (await deps.isStopped())) return;
    let isAnyBack = false;
    for (const leased of await held.take()) {
      const back = isClosed ? UNUSED : await act(leased);
      if (back === null) await held.settle(leased.messageId);
      else await held.giveBack(leased.messageId, back);
      isAnyBack ||= back !== null;
    }
    if (!isAnyBack || isClosed) return;
    rest();
    await endDead();
  };
  const look = (): void => {
    line = line.then(takeUp).catch((cause: unknown) => deps.log.error(`${name}_failed`, { cause }));
  };
  return {
    look,
    async idle() {
      look();
      await line;
    },
    async close() {
      isClosed = true;
      cancel?.();
      halt();
      await line;
      await held.close();
    },
  };
}
