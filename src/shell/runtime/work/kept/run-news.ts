import { newsBetween, type RunRecord, type RunTold } from "#model";
import type { RunChange, RunFeed, WorkStore } from "#ports";

/** The same store, of whose runs everything new is told once it is kept, and who listens. [FLOW-13] */
export function withRunNews(store: WorkStore): { readonly store: WorkStore; readonly feed: RunFeed } {
  const listeners = new Set<(told: RunTold) => void>();
  const last = new Map<string, RunRecord>();
  const told = async <T extends { readonly ok: boolean }>({ run }: RunChange, kept: Promise<T>): Promise<T> => {
    const answer = await kept;
    if (!answer.ok) return answer;
    const { runId, workItemId } = run;
    const news = newsBetween(last.get(runId) ?? null, run);
    if (run.endedAt === null) last.set(runId, run);
    else last.delete(runId);
    for (const one of news) for (const listener of listeners) listener({ runId, workItemId, news: one });
    return answer;
  };
  return {
    store: {
      ...store,
      begin: (change) => told(change, store.begin(change)),
      save: (change) => told(change, store.save(change)),
      ask: (change, request) => told(change, store.ask(change, request)),
    },
    feed: {
      subscribeRuns(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
}
