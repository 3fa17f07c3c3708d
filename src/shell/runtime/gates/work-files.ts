import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { FileFact } from "#policy";

/**
 * What lies at a relative path, without following a single link on the way: a link could lead anywhere. The path was
 * judged before; nothing here is asked about any other.
 */
export async function lookAtFile(root: string, path: string): Promise<FileFact> {
  let at = root;
  const segments = path.split("/");
  for (const [index, segment] of segments.entries()) {
    at = join(at, segment);
    try {
      const found = await lstat(at);
      if (found.isSymbolicLink()) return { state: "outside" };
      if (index < segments.length - 1) continue;
      return found.isFile() ? { state: "file", sizeBytes: found.size } : { state: "missing" };
    } catch (cause) {
      return { state: isAbsence(cause) ? "missing" : "unreadable" };
    }
  }
  return { state: "missing" };
}

const isAbsence = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR");
