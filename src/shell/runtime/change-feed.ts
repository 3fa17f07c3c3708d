import { LIMITS } from "#base";
import type { NotificationBatch } from "#model";
import type { ChangeFeed, Log, Timers } from "#ports";

/** How long changes gather before they go out: own edits soon, a stream of synced ones in larger steps. [BATCHID-11] */
const FEED_WINDOW_MS = { local: 100, sync: 1_000 } as const;
export type FeedWindow = keyof typeof FEED_WINDOW_MS;

/** The publishing side of the feed. Only the journal door holds it. */
export interface ChangePublisher extends ChangeFeed {
  publish(batches: readonly NotificationBatch[], window: FeedWindow): void;
  /** Tells every listener to load afresh, where naming each change would only flood them. */
  publishLost(): void;
  /** Sends what still waits, and nothing after. */
  close(): void;
}

type FeedDeps = {
  readonly timers: Timers;
  readonly log: Log;
  /** Joins batches of one logical change and never batches of two. [BATCHID-10] */
  readonly coalesce: (batches: readonly NotificationBatch[]) => readonly NotificationBatch[];
};

/**
 * The in-process feed of committed changes. The windows decide when a batch leaves, never which batches there are: what
 * gathers in a window is joined by key alone. [BATCHID-11]
 */
export function createChangeFeed({ timers, log, coalesce }: FeedDeps): ChangePublisher {
  const listeners = new Set<Mailbox>();
  const waiting: Record<FeedWindow, { batches: NotificationBatch[]; cancel: (() => void) | null }> = {
    local: { batches: [], cancel: null },
    sync: { batches: [], cancel: null },
  };
  const flush = (window: FeedWindow) => {
    const gathered = waiting[window];
    gathered.cancel?.();
    gathered.cancel = null;
    const batches = coalesce(gathered.batches.splice(0));
    for (const mailbox of listeners) mailbox.put(batches);
  };
  return {
    subscribe(listener, lost = () => {}) {
      const mailbox = createMailbox({ listener, lost, log });
      listeners.add(mailbox);
      return () => {
        mailbox.stop();
        listeners.delete(mailbox);
      };
    },
    publish(batches, window) {
      const gathered = waiting[window];
      gathered.batches.push(...batches);
      gathered.cancel ??= timers.after(FEED_WINDOW_MS[window], () => flush(window));
    },
    publishLost() {
      for (const mailbox of listeners) mailbox.lose();
    },
    close() {
      flush("local");
      flush("sync");
      // The mailboxes go on emptying themselves; only nothing more is put into them.
      listeners.clear();
    },
  };
}

type Mailbox = {
  readonly put: (batches: readonly NotificationBatch[]) => void;
  readonly lose: () => void;
  readonly stop: () => void;
};
type Listener = {
  readonly listener: (batch: NotificationBatch) => void | Promise<void>;
  readonly lost: () => void;
  readonly log: Log;
};

/** One listener's own queue: its slowness fills it, its exceptions end here, and nobody else notices either. */
function createMailbox({ listener, lost, log }: Listener): Mailbox {
  let queue: NotificationBatch[] = [];
  let isBusy = false;
  let isStopped = false;
  const failed = (cause: unknown) => log.error("change_listener_failed", { cause });
  const deliver = (batch: NotificationBatch): Promise<void> | null => {
    try {
      const settling = listener(batch);
      return settling instanceof Promise ? settling.catch(failed) : null;
    } catch (cause) {
      failed(cause);
      return null;
    }
  };
  const goOn = () => {
    isBusy = false;
    drain();
  };
  // A listener that answers at once is not waited for: a promise for each socket and batch would cost more than sending.
  const drain = () => {
    while (!isBusy) {
      const batch = queue.shift();
      if (batch === undefined) return;
      const settling = deliver(batch);
      if (settling === null) continue;
      isBusy = true;
      void settling.then(goOn);
    }
  };
  const lose = () => {
    queue = [];
    if (isStopped) return;
    try {
      lost();
    } catch (cause) {
      failed(cause);
    }
  };
  return {
    put(batches) {
      if (isStopped) return;
      queue.push(...batches);
      if (queue.length > LIMITS.feedBatchesWaiting) return lose();
      drain();
    },
    lose,
    stop() {
      isStopped = true;
      queue = [];
    },
  };
}
