import { pruneBefore, type NonceWindow } from "#policy";
import type { Clock, Log, NonceStore, Timers } from "#ports";

type NoncePruningDeps = {
  readonly nonces: NonceStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly window: NonceWindow;
  readonly intervalMs: number;
};

/** Forgets nonces that no message can bring again, now and then; answers with the way to stop. [NONCE-06] */
export function startNoncePruning(deps: NoncePruningDeps): () => void {
  let cancel: (() => void) | null = null;
  const tick = () => {
    cancel = deps.timers.after(deps.intervalMs, () => void prune(deps).finally(tick));
  };
  tick();
  return () => cancel?.();
}

async function prune({ nonces, clock, log, window }: NoncePruningDeps): Promise<void> {
  const pruned = await nonces.prune(pruneBefore(clock.now(), window));
  if (!pruned.ok) log.warn("nonce_pruning_failed", pruned.error);
}
