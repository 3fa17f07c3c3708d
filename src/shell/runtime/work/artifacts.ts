import { constants } from "node:fs";
import { open, type FileHandle, lstat, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Artifact } from "#model";
import type { Sha256Hex } from "#base";
import { createMutex } from "#ports";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Files of a workspace, by name. */
export type Places = Readonly<Record<string, string>>;
type ArtifactPlaces = { readonly workspace: string; readonly places: Places };

/** What lies at each place of a workspace, kept. Programs made it, so nothing is believed and no link is followed. */
export async function keepArtifacts(
  files: ArtifactFiles,
  { workspace, places }: ArtifactPlaces,
): Promise<Readonly<Record<string, Artifact | null>>> {
  const found: Record<string, Artifact | null> = {};
  for (const [name, place] of Object.entries(places)) found[name] = await keepOne(files, { workspace, place });
  return found;
}

type Place = { readonly workspace: string; readonly place: string };

async function keepOne(files: ArtifactFiles, { workspace, place }: Place): Promise<Artifact | null> {
  const file = await openInside(workspace, place).catch(() => null);
  if (file === null) return null;
  try {
    return (await file.stat()).isFile() ? await files.keep(file) : null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

const CHUNK_BYTES = 256 * 1024;

/** What is looked for in files; what it is found by may lie across two pieces of one. */
export type LookingFor<T> = { readonly find: (bytes: Uint8Array) => T | null; readonly overlapBytes: number };

/** The first that `find` sees anything in; null for none. Looks at the same files as `keepArtifacts`. */
export async function findInFiles<T>({ workspace, places }: ArtifactPlaces, looking: LookingFor<T>): Promise<T | null> {
  for (const place of Object.values(places)) {
    const file = await openInside(workspace, place).catch(() => null);
    const found = file === null ? null : await findInFile(file, looking);
    if (found !== null) return found;
  }
  return null;
}

/** Looks through an open file to its end, and closes it. What is no file holds nothing. */
export async function findInFile<T>(file: FileHandle, { find, overlapBytes }: LookingFor<T>): Promise<T | null> {
  try {
    let seen = Buffer.alloc(0);
    const isFile = (await file.stat()).isFile();
    for await (const chunk of isFile ? file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false }) : []) {
      seen = Buffer.concat([seen.subarray(-overlapBytes), chunk as Buffer]);
      const found = find(seen);
      if (found !== null) return found;
    }
    return null;
  } finally {
    await file.close();
  }
}

type Reading = Place & { readonly bytesMost: number };

/** The bytes of a file at a place of a workspace; null when there is none, or it is longer than may be read. */
export async function readInside({ workspace, place, bytesMost }: Reading): Promise<Uint8Array | null> {
  const file = await openInside(workspace, place).catch(() => null);
  if (file === null) return null;
  try {
    const about = await file.stat();
    if (!about.isFile() || about.size > bytesMost) return null;
    const buffer = Buffer.alloc(bytesMost + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return bytesRead > bytesMost ? null : buffer.subarray(0, bytesRead);
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

/** Whether a file or folder lies at a place inside a folder, without leaving it through any link. [VER-11] */
export async function isInside(folder: string, place: string): Promise<boolean> {
  const found = await openInside(folder, place).catch(() => null);
  if (found === null) return false;
  try {
    const about = await found.stat();
    return about.isFile() || about.isDirectory();
  } finally {
    await found.close();
  }
}

/** One name at a time, each from the folder before it; waiting for nobody at the other end of a pipe. */
async function openInside(workspace: string, place: string): Promise<FileHandle | null> {
  const names = place.split("/").filter((name) => name !== "" && name !== ".");
  if (names.length === 0 || names.includes("..") || place.startsWith("/")) return null;
  let folder = await open(workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (isLast ? 0 : O_DIRECTORY);
    const next = await open(`/proc/self/fd/${folder.fd}/${name}`, flags).catch(() => null);
    await folder.close();
    if (next === null || isLast) return next;
    folder = next;
  }
  return null;
}

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash, randomUUID } = process.getBuiltinModule("node:crypto");

/** The largest result that is kept; a larger one is known by its digest only. */
export const ARTIFACT_BYTES_MOST = 64 * 1024 * 1024;

/** What steps left under a name, as bytes by their digest: equal bytes are kept once, and nothing in a name is believed. */
export type ArtifactFiles = {
  /** Reads an open file to its end; says what it holds, and keeps it if it is small enough. */
  keep(file: FileHandle): Promise<Artifact>;
  /** Null when it was not kept, or is not any more what its digest says. */
  read(sha256: Sha256Hex): Promise<Uint8Array | null>;
  /** Removes what was last kept before a moment and is not needed; says how many files that were. */
  prune(asked: { readonly beforeMs: number; readonly needed: ReadonlySet<string> }): Promise<number>;
};

export function createArtifactFiles(folder: string): ArtifactFiles {
  /** INVARIANT: what is kept anew in the moment in which it is too old is not removed after it. */
  const inTurn = createMutex();
  return {
    async keep(file) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const partial = join(folder, `${randomUUID()}.partial`);
      try {
        const copy = await open(partial, "wx", 0o600);
        const artifact = await copyInto(file, copy).finally(() => copy.close());
        if (artifact.size <= ARTIFACT_BYTES_MOST) {
          await inTurn(() => rename(partial, join(folder, artifact.sha256)));
        }
        return artifact;
      } finally {
        await rm(partial, { force: true });
      }
    },
    async read(sha256) {
      const bytes = await readFile(join(folder, sha256)).catch(() => null);
      return bytes !== null && createHash("sha256").update(bytes).digest("hex") === sha256 ? bytes : null;
    },
    async prune({ beforeMs, needed }) {
      let removed = 0;
      for (const name of await readdir(folder).catch(() => [])) {
        if (needed.has(name)) continue;
        const isGone = await inTurn(() => removeOld(join(folder, name), beforeMs)).catch(() => false);
        removed += isGone ? 1 : 0;
      }
      return removed;
    },
  };
}

async function removeOld(path: string, beforeMs: number): Promise<boolean> {
  const about = await lstat(path);
  if (!about.isFile() || about.mtimeMs >= beforeMs) return false;
  await rm(path);
  return true;
}

/** All of it is hashed, and as much written as may be kept; on the disk before anybody names it. */
async function copyInto(file: FileHandle, copy: FileHandle): Promise<Artifact> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let size = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    size += bytesRead;
    if (size <= ARTIFACT_BYTES_MOST) await copy.writeFile(buffer.subarray(0, bytesRead));
  }
  await copy.sync();
  return { sha256: hash.digest("hex") as Sha256Hex, size };
}
