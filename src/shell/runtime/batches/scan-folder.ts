import type { Stats } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { err, instantFromMs, LIMITS, ok, type Instant, type Result } from "#base";
import type { FolderFault, TidyRefused } from "#model";
import type { FileFact, FolderFacts, LeftAlone } from "#work";
import type { Digests } from "./digests.ts";

type Scanned = { readonly facts: FolderFacts; readonly leftAlone: readonly LeftAlone[] };
type Scanning = {
  readonly folder: string;
  /** Folders of Silas itself: nothing in them is ever moved. */
  readonly own: readonly string[];
  readonly at: Instant;
  readonly digests: Digests;
  /** How much may be read; what lies beyond waits for the next look. */
  readonly bytesMax: number;
  /** Whether nothing more is asked about this file: such files do not keep others from being taken up. */
  readonly isSettled: (file: Pick<FileFact, "name" | "sha256">) => boolean;
};

/** A settled file is cheap to look at, and yet not for nothing. */
const SETTLED_MOST = 10 * LIMITS.batchCandidates;
/** Looking at more would take longer than anybody waits; such a file is left alone and said. */
const LOOK_BYTES_MAX = 4 * 1024 ** 3;

/**
 * What lies at the top of a folder: plain files with their digests, and which names are taken. No link is followed, and
 * nothing is changed.
 */
export async function scanFolder(scanning: Scanning): Promise<Result<Scanned, TidyRefused>> {
  const { folder, own } = scanning;
  const fault = await folderFault(folder, own);
  if (fault !== null) return err({ code: "folder_refused", folder, reason: fault });
  try {
    return ok(await scan(scanning));
  } catch {
    return err({ code: "folder_unreadable", folder });
  }
}

async function folderFault(folder: string, own: readonly string[]): Promise<FolderFault | null> {
  if (!folder.startsWith("/") || folder === "/" || folder.endsWith("/")) return "not_absolute";
  const found = await lstat(folder).catch(() => null);
  if (found === null) return "missing";
  if (found.isSymbolicLink() || (await realpath(folder)) !== folder) return "is_link";
  if (!found.isDirectory()) return "not_a_folder";
  const places = await Promise.all(own.map((place) => realpath(place).catch(() => place)));
  const isSilas = places.some((place) => isWithin(folder, place) || isWithin(place, folder));
  return isSilas ? "holds_silas" : null;
}

const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

async function scan({ folder, at, digests, bytesMax, isSettled }: Scanning): Promise<Scanned> {
  const files: FileFact[] = [];
  const folders: string[] = [];
  const taken: string[] = [];
  const leftAlone: LeftAlone[] = [];
  const names = (await readdir(folder, { encoding: "buffer" })).toSorted(Buffer.compare);
  const look = { bytesLeft: bytesMax };
  let settled = 0;
  for (const raw of names) {
    const name = nameOf(raw);
    if (name === null) {
      leftAlone.push({ name: raw.toString("latin1"), reason: "its name is no text" });
      continue;
    }
    const about = await lstat(join(folder, name)).catch(() => null);
    if (about?.isDirectory()) {
      folders.push(name);
      for (const inside of await readdir(join(folder, name)).catch(() => [])) taken.push(`${name}/${inside}`);
    } else if (about?.isFile()) {
      const isMore = files.length - settled >= LIMITS.batchCandidates || settled >= SETTLED_MOST;
      const read = (path: string) => digests.of({ path, about }, look);
      const fact = isMore ? LATER : await factOf({ folder, name, about, read });
      if (typeof fact === "string") leftAlone.push({ name, reason: fact });
      else {
        files.push(fact);
        if (isSettled(fact)) settled += 1;
      }
    } else if (about !== null) leftAlone.push({ name, reason: "it is a link or no plain file" });
  }
  return { facts: { folder, files, folders, taken, at }, leftAlone };
}

function nameOf(raw: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return null;
  }
}

const LATER = "more than one look takes up; it waits for the next";

type Seen = {
  readonly folder: string;
  readonly name: string;
  readonly about: Stats;
  readonly read: (path: string) => Promise<string | null>;
};

/** What was seen of a file, or why it is left alone. */
async function factOf({ folder, name, about, read }: Seen): Promise<FileFact | string> {
  if (about.size > LOOK_BYTES_MAX) return "it is larger than four gigabytes";
  const changedAt = instantFromMs(Math.trunc(about.mtimeMs));
  if (!changedAt.ok) return "its date lies outside of the calendar";
  const sha256 = await read(join(folder, name));
  if (sha256 === null) return "it cannot be read, or is being written";
  if (sha256 === "later") return LATER;
  return { name, size: about.size, changedAt: changedAt.value, isExecutable: (about.mode & 0o111) !== 0, sha256 };
}
