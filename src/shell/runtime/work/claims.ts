import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { WorkItem } from "#model";
import type { Claim } from "#work";

/** All work is the owner's today; another scope waits for its own limit only. */
const SCOPE = "owner";

export const NO_CLAIM: Claim = { scope: SCOPE, writes: [], repositories: [] };

/**
 * What a plan takes hold of, resolved: a place that is reached by two names is one place, and whoever changes something
 * in a repository changes that repository. [PAR-03]
 */
export function claimOf({ files, repository }: Pick<WorkItem, "files" | "repository">): Claim {
  return {
    ...NO_CLAIM,
    writes: files.write.map(around),
    repositories: repository === null ? [] : [around(repository.path)],
  };
}

function around(path: string): string {
  const place = resolved(path);
  return repositoryAround(place) ?? place;
}

/** As far as it exists: whatever cannot be resolved is refused when it is opened. */
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function repositoryAround(path: string): string | null {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return null;
  }
}
