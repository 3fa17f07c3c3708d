import { realpathSync } from "node:fs";
import type { WorkItem } from "#model";

type Places = Pick<WorkItem, "id" | "files" | "repository">;

/**
 * The first of these plans that names a place in a folder of Silas itself, or one around it; null when none does. It is
 * said before anybody is asked; whatever a path means later, the sandbox refuses it as well.
 */
export function whoReachesOwn(plans: readonly Places[], folders: readonly string[]): string | null {
  const places = folders.map(resolved);
  const reaches = (path: string): boolean =>
    places.some((own) => isWithin(resolved(path), own) || isWithin(own, resolved(path)));
  const found = plans.find(({ files, repository }) =>
    [...files.read, ...files.write, ...(repository === null ? [] : [repository.path])].some(reaches),
  );
  return found?.id ?? null;
}

function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
