import { ok, type Result } from "#base";
import { countWaiting, isConnectionWaiting, type StoreFault } from "#model";
import type {
  ApprovalStore,
  Clock,
  ConnectionStore,
  GoalStore,
  Log,
  ReviewFeed,
  SecureInputStore,
  WorkStore,
} from "#ports";

/** Where all that waits for the owner is kept. */
export type WaitingStores = {
  readonly approvals: Pick<ApprovalStore, "countPending">;
  readonly work: Pick<WorkStore, "countInDoubt">;
  readonly goals: Pick<GoalStore, "list">;
  readonly secureInputs: Pick<SecureInputStore, "list">;
  readonly connections: Pick<ConnectionStore, "list">;
};
type ReviewFeedDeps = { readonly stores: WaitingStores; readonly clock: Clock; readonly log: Log };

/**
 * Tells every listener that the queue is not as it was. Changes of one moment are one word: whoever hears it asks again
 * anyway, and only the newest answer counts.
 */
export function createReviewFeed({ stores, clock, log }: ReviewFeedDeps): ReviewFeed {
  const pages = createListeners<{ readonly pendingCount: number }>();
  const parts = createListeners<void>();
  const stopping = createListeners<void>();
  const tellPages = inOneMoment(pages, async () => {
    const counted = await countAll(stores, clock);
    if (!counted.ok) return log.error("review_count_failed", counted.error);
    pages.tell({ pendingCount: counted.value });
  });
  const tellParts = inOneMoment(parts, parts.tell);
  const changed = (): void => {
    tellParts();
    tellPages();
  };
  return {
    changed,
    stopChanged() {
      stopping.tell();
      changed();
    },
    shownChanged: tellPages,
    subscribe: pages.add,
    onChanged: parts.add,
    onStopChanged: stopping.add,
  };
}

function createListeners<T>() {
  const listeners = new Set<(word: T) => void>();
  return {
    isEmpty: () => listeners.size === 0,
    tell: (word: T): void => {
      for (const listener of listeners) listener(word);
    },
    add: (listener: (word: T) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** For those who listen now. */
function inOneMoment({ isEmpty }: { isEmpty(): boolean }, tell: () => void | Promise<void>): () => void {
  let isTelling = false;
  return () => {
    if (isTelling || isEmpty()) return;
    isTelling = true;
    queueMicrotask(() => {
      // What changes while this is told is told once more.
      isTelling = false;
      void tell();
    });
  };
}

/** What the page and the terminal count from the lists they show. */
async function countAll(stores: WaitingStores, clock: Clock): Promise<Result<number, StoreFault>> {
  const requests = await stores.approvals.countPending();
  if (!requests.ok) return requests;
  const doubts = await stores.work.countInDoubt();
  if (!doubts.ok) return doubts;
  const goals = await stores.goals.list();
  if (!goals.ok) return goals;
  const inputs = await stores.secureInputs.list(clock.now());
  if (!inputs.ok) return inputs;
  const connections = await stores.connections.list();
  if (!connections.ok) return connections;
  return ok(
    countWaiting({
      requests: { length: requests.value },
      doubts: { length: doubts.value },
      missedChecks: goals.value.filter(({ missedCount }) => missedCount > 0),
      inputs: inputs.value.filter(({ state }) => state === "pending"),
      connections: connections.value.filter(isConnectionWaiting),
    }),
  );
}

/** The same store, whose every change is told. What changed nothing is not: a page that looks again must not wake itself. */
export function withReviewFeed(store: ApprovalStore, feed: Pick<ReviewFeed, "changed">): ApprovalStore {
  const told = async <T extends { readonly ok: boolean }>(answer: Promise<T>, isChange: (answer: T) => boolean) => {
    const settled = await answer;
    if (isChange(settled)) feed.changed();
    return settled;
  };
  store.onExpired(() => feed.changed());
  return {
    ...store,
    propose: (request) => told(store.propose(request), (answer) => answer.ok && answer.value.isNew),
    activate: (requestId, window) => told(store.activate(requestId, window), (answer) => answer.ok && answer.value),
    decline: (decision) => told(store.decline(decision), (answer) => answer.ok),
    replace: (decision, request) => told(store.replace(decision, request), (answer) => answer.ok),
    spend: (spending) => told(store.spend(spending), (answer) => answer.ok && spending.judged !== null),
  };
}
