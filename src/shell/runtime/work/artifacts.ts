import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Sha256Hex } from "#base";
import type { Artifact } from "#model";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash } = process.getBuiltinModule("node:crypto");
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const CHUNK_BYTES = 256 * 1024;

/** What lies at each place of a workspace. Programs made it, so nothing is believed and no link is followed. */
export async function hashArtifacts(
  workspace: string,
  places: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, Artifact | null>>> {
  const found: Record<string, Artifact | null> = {};
  for (const [name, place] of Object.entries(places)) found[name] = await hashOne(workspace, place);
  return found;
}

async function hashOne(workspace: string, place: string): Promise<Artifact | null> {
  const file = await openInside(workspace, place).catch(() => null);
  if (file === null) return null;
  try {
    return (await file.stat()).isFile() ? await digestOf(file) : null;
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
    try {
      const next = await open(`/proc/self/fd/${folder.fd}/${name}`, flags);
      if (isLast) return next;
      await folder.close();
      folder = next;
    } finally {
      if (isLast) await folder.close();
    }
  }
  return null;
}

async function digestOf(file: FileHandle): Promise<Artifact> {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let size = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return { sha256: hash.digest("hex") as Sha256Hex, size };
    hash.update(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
}
