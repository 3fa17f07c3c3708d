import { err } from "#base";
import type { JournalStore } from "#ports";

/** Which call of the port goes wrong: before its effect, or after it, when only the answer is lost. */
export type Anomaly = { readonly call: number; readonly when: "before" | "after" };

type Observed = { readonly store: JournalStore; readonly calls: () => number };

/** A journal store whose n-th call fails. Counts all calls, so that a clean run tells how many there are to fail. */
export function withAnomaly(store: JournalStore, anomaly: Anomaly | null): Observed {
  let calls = 0;
  const fault = err({ code: "store_failed", retryable: false } as const);
  const guarded = async <T>(work: () => Promise<T>): Promise<T | typeof fault> => {
    calls += 1;
    if (anomaly === null || anomaly.call !== calls) return work();
    if (anomaly.when === "after") await work();
    return fault;
  };
  return {
    calls: () => calls,
    store: {
      ...store,
      read: (reads) => guarded(() => store.read(reads)),
      commit: (commit) => guarded(() => store.commit(commit)),
      answer: (query) => guarded(() => store.answer(query)),
      importRecords: (records) => guarded(() => store.importRecords(records)),
    },
  };
}
