import { msOfInstant } from "#base";
import type { Log, Timers } from "#ports";
import type { ArtifactFiles } from "../artifacts.ts";
import { neededArtifacts, type NeededDeps } from "./needed-artifacts.ts";

type PruningDeps = NeededDeps & {
  readonly artifacts: Pick<ArtifactFiles, "prune">;
  readonly keepDays: number;
  readonly timers: Timers;
  readonly log: Log;
};
export type Pruning = { start(): void; close(): void };

const DAY_MS = 86_400_000;

/** Removes results of runs that are older than they are kept for, when Silas starts and once a day. */
export function createPruning(deps: PruningDeps): Pruning {
  let cancel: (() => void) | null = null;
  const again = (): void => {
    cancel = deps.timers.after(DAY_MS, again);
    void pruneArtifacts(deps);
  };
  return { start: again, close: () => cancel?.() };
}

/** Receipts and runs keep the digests; only the bytes go. Where anything cannot be read nothing is removed. */
async function pruneArtifacts(deps: Omit<PruningDeps, "timers">): Promise<void> {
  const needed = await neededArtifacts(deps);
  if (!needed.ok) return deps.log.error("artifacts_unpruned", needed.error);
  const beforeMs = msOfInstant(deps.clock.now()) - deps.keepDays * DAY_MS;
  const count = await deps.artifacts.prune({ beforeMs, needed: needed.value });
  if (count > 0) deps.log.info("artifacts_pruned", { count });
}
