import type { ApprovalStore, Log, ReviewFeed } from "#ports";

export type ReviewFeedDeps = { readonly store: Pick<ApprovalStore, "countPending">; readonly log: Log };

/**
 * Tells every listener that the queue is not as it was. Changes of one moment are one word: whoever hears it asks again
 * anyway, and only the newest answer counts.
 */
export function createReviewFeed({ store, log }: ReviewFeedDeps): ReviewFeed {
  const listeners = new Set<(waiting: { readonly pendingCount: number }) => void>();
  let isTelling = false;
  const tell = async () => {
    // What changes while this counts is told once more.
    isTelling = false;
    const counted = await store.countPending();
    if (!counted.ok) return log.error("review_count_failed", counted.error);
    for (const listener of listeners) listener({ pendingCount: counted.value });
  };
  return {
    changed() {
      if (isTelling || listeners.size === 0) return;
      isTelling = true;
      queueMicrotask(() => void tell());
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The same store, whose every change is told. What changed nothing is not: a page that looks again must not wake itself. */
export function withReviewFeed(store: ApprovalStore, feed: Pick<ReviewFeed, "changed">): ApprovalStore {
  const told = async <T extends { readonly ok: boolean }>(answer: Promise<T>, isChange: (answer: T) => boolean) => {
    const settled = await answer;
    if (isChange(settled)) feed.changed();
    return settled;
  };
  return {
    ...store,
    propose: (request) => told(store.propose(request), (answer) => answer.ok && answer.value.isNew),
    activate: (requestId, window) => told(store.activate(requestId, window), (answer) => answer.ok && answer.value),
    expire: (at) => told(store.expire(at), (answer) => answer.ok && answer.value.length > 0),
    decline: (decision) => told(store.decline(decision), (answer) => answer.ok),
    replace: (decision, request) => told(store.replace(decision, request), (answer) => answer.ok),
    spend: (spending) => told(store.spend(spending), (answer) => answer.ok && spending.requestId !== null),
  };
}
