import { constants, type BigIntStats } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findInFile, type LookingFor } from "../work/artifacts.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** What is looked at after one step; what lies beyond is not, and nothing is said about it. */
const ENTRIES_MOST = 20_000;
const BYTES_MOST = 512n * 1024n * 1024n;

export type WrittenPlaces = {
  /** Files and folders that the plan may change. */
  readonly places: readonly string[];
  /** By the clock of the file system, which no program can set back. */
  readonly sinceNs: bigint;
};
type InPlace<T> = { readonly place: string; readonly found: T };

/** The first file changed since then under one of these places that shows something; no link is followed. */
export async function findInPlaces<T>(
  { places, sinceNs }: WrittenPlaces,
  looking: LookingFor<T>,
): Promise<InPlace<T> | null> {
  let entries = 0;
  let bytes = 0n;
  for (const place of places) {
    const paths = [place];
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      const about = await lstat(path, { bigint: true }).catch(() => null);
      if ((entries += 1) > ENTRIES_MOST) return null;
      if (about === null) continue;
      if (about.isDirectory()) {
        const names = await readdir(path).catch(() => []);
        for (const name of names.slice(0, ENTRIES_MOST)) paths.push(join(path, name));
      }
      if (!isChanged(about, sinceNs) || (bytes += about.size) > BYTES_MOST) continue;
      const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
      const found = file === null ? null : await findInFile(file, looking).catch(() => null);
      if (found !== null) return { place, found };
    }
  }
  return null;
}

const isChanged = (about: BigIntStats, sinceNs: bigint): boolean => about.isFile() && about.ctimeNs >= sinceNs;

/** When this folder was made, by the clock of the file system. */
export const madeAt = async (folder: string): Promise<bigint> => (await lstat(folder, { bigint: true })).ctimeNs;
