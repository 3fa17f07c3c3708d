import { statfsSync } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** Answers whether a folder has grown past what it may hold. */
export type FolderGauge = { isOver(): Promise<boolean> };

/** Many empty files are a way to fill a disk as well. */
const ENTRIES_MAX = 200_000;

/**
 * Counting a folder is slow, asking how full its disk is costs nothing: the folder is counted only when so much has gone
 * from the disk since the start that it could be over.
 */
export function createFolderGauge(folder: string, bytesMax: number): FolderGauge {
  const start = fullness(folder);
  return {
    async isOver() {
      const now = fullness(folder);
      const gone = (start.bavail - now.bavail) * now.bsize;
      // A folder that is gone holds nothing.
      if (Number.isNaN(gone)) return false;
      if (gone < bytesMax / 2 && start.ffree - now.ffree < ENTRIES_MAX / 2) return false;
      return countFolder(folder, bytesMax);
    },
  };
}

function fullness(folder: string): { readonly bavail: number; readonly ffree: number; readonly bsize: number } {
  try {
    return statfsSync(folder);
  } catch {
    return { bavail: Number.NaN, ffree: Number.NaN, bsize: Number.NaN };
  }
}

async function countFolder(folder: string, bytesMax: number): Promise<boolean> {
  const waiting = [folder];
  let bytes = 0;
  let entries = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // What vanishes while it is counted does not count; nor does what lies too deep to be named.
    for await (const entry of await opendir(next).catch(() => [])) {
      const path = join(next, entry.name);
      const found = await lstat(path).catch(() => null);
      bytes += (found?.blocks ?? 0) * 512;
      entries += 1;
      if (bytes > bytesMax || entries > ENTRIES_MAX) return true;
      if (found?.isDirectory()) waiting.push(path);
    }
  }
  return false;
}
