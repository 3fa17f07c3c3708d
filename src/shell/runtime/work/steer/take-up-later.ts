import type { Timers, WorkStore } from "#ports";

const FIRST_MS = 5_000;
const LAST_MS = 300_000;

type LaterDeps = {
  readonly store: Pick<WorkStore, "find">;
  readonly timers: Timers;
  readonly isStopped: () => Promise<boolean>;
};
type LaterTakeUp = {
  /** Told of every run that nobody drives any more. */
  after(runId: string): Promise<void>;
  close(): void;
};

/**
 * Looks again after what the store could not keep: a full disk has room again some time, and what was left in the middle
 * is nobody's until then. Each look that brings nothing to its end doubles the wait.
 */
export function createLaterTakeUp(deps: LaterDeps, takeUp: () => void): LaterTakeUp {
  let waitMs = FIRST_MS;
  let cancel: (() => void) | null = null;
  let isClosed = false;
  return {
    async after(runId) {
      const [hasEnded, isStopped] = await Promise.all([isEnded(deps, runId), deps.isStopped()]);
      if (hasEnded) waitMs = FIRST_MS;
      // What is stopped is taken up by whoever takes the stop back.
      if (hasEnded || isStopped || isClosed || cancel !== null) return;
      cancel = deps.timers.after(waitMs, () => {
        cancel = null;
        takeUp();
      });
      waitMs = Math.min(waitMs * 2, LAST_MS);
    },
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}

export async function isEnded({ store }: Pick<LaterDeps, "store">, runId: string): Promise<boolean> {
  const found = await store.find(runId);
  return found.ok && found.value !== null && found.value.endedAt !== null;
}
