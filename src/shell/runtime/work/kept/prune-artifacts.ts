import { msOfInstant } from "#base";
import type { Job } from "#engine";
import type { Log } from "#ports";
import type { ArtifactFiles } from "../artifacts.ts";
import { neededArtifacts, type NeededDeps } from "./needed-artifacts.ts";

type PruningDeps = NeededDeps & {
  readonly artifacts: Pick<ArtifactFiles, "prune">;
  readonly keepDays: number;
  readonly log: Log;
};

const DAY_MS = 86_400_000;

/** Removes results of runs that are older than they are kept for, once a day. */
export const pruningJob = (deps: PruningDeps): Job => ({ everyMinutes: 1_440, run: () => pruneArtifacts(deps) });

/** Receipts and runs keep the digests; only the bytes go. Where anything cannot be read nothing is removed. */
async function pruneArtifacts(deps: PruningDeps): Promise<void> {
  const needed = await neededArtifacts(deps);
  if (!needed.ok) return deps.log.error("artifacts_unpruned", needed.error);
  const beforeMs = msOfInstant(deps.clock.now()) - deps.keepDays * DAY_MS;
  const count = await deps.artifacts.prune({ beforeMs, needed: needed.value });
  if (count > 0) deps.log.info("artifacts_pruned", { count });
}
