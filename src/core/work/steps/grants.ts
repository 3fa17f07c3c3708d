import { isPathInside } from "#base";
import type { Report } from "../problems.ts";

type Grants = { readonly read: readonly string[]; readonly write: readonly string[] };

/** Places a sandbox has of its own. A grant there would hide them, or be hidden by them. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib[^/]*|etc|proc|dev|sys|run|tmp|opt\/silas|workspace)(?:\/|$)/;

/**
 * A grant is one plain absolute path: no `.` or `..`, no trailing slash, neither the root nor a place of the system. Two
 * of them never lie in each other, so that one path has one answer. Links and Silas' own folders are judged where the
 * path is opened.
 */
export function checkGrants(files: Grants, report: Report): void {
  const all = [...files.read, ...files.write];
  for (const access of ["read", "write"] as const) {
    files[access].forEach((path, index) => {
      const at = ["files", access, index];
      const offset = access === "read" ? index : files.read.length + index;
      if (!isGrantable(path)) return report(at, { code: "grant_refused" });
      const outer = all.find((other, place) => place !== offset && isWithin(path, other));
      if (outer !== undefined) report(at, { code: "grant_overlaps", found: [outer] });
    });
  }
}

/** Whether a path of a tool lies in what was granted for it; what may be changed may be read. */
export function isGranted(path: string, { files, access }: { files: Grants; access: "read" | "write" }): boolean {
  const places = access === "write" ? files.write : [...files.read, ...files.write];
  return isPlain(path) && places.some((place) => isWithin(path, place));
}

/** Where a repository may lie: it is seen at a place of its own, so that also `/tmp` is one. */
export const isRepositoryPlace = (path: string): boolean =>
  isPlain(path) && !/^\/(?:proc|dev|sys|run)(?:\/|$)/.test(path);
const isPlain = (path: string): boolean => path.startsWith("/") && isPathInside(path.slice(1));
/** Whether a plan may name this place at all. */
export const isGrantable = (path: string): boolean => isPlain(path) && !SYSTEM.test(path);
const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
