import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Artifact } from "#model";
import type { ArtifactFiles } from "./artifact-files.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

export type ArtifactPlaces = { readonly workspace: string; readonly places: Readonly<Record<string, string>> };

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
