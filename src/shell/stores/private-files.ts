import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DATA_DIR_MARKERS } from "#model";

export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_DIR_MODE = 0o700;

/** Makes a directory that only the owner may enter; an existing one is closed to others. */
export function ensurePrivateDir(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_DIR_MODE });
  chmodSync(path, PRIVATE_DIR_MODE);
}

const MARKED = `This folder holds the data of Silas and is open to you alone. Silas changes and removes files in it.\n`;

/** Makes the data directory of Silas, and marks a new one before anything else is in it. */
export function ensureDataDir(path: string): void {
  ensurePrivateDir(path);
  const [own = "", ...others] = DATA_DIR_MARKERS;
  if (existsSync(join(path, own))) return;
  try {
    writePrivateFile(join(path, own), MARKED);
  } catch (cause) {
    // On a full disk an older one is known by its database.
    if (!others.some((name) => existsSync(join(path, name)))) throw cause;
  }
}

/** Makes sure a file exists and only the owner may read it, before anything is written into it. */
export function ensurePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", PRIVATE_FILE_MODE));
  chmodSync(path, PRIVATE_FILE_MODE);
}

/** Copies a file for the owner alone: a copy takes over the permissions of what it was copied from. */
export function copyPrivateFile(from: string, to: string): void {
  copyFileSync(from, to);
  chmodSync(to, PRIVATE_FILE_MODE);
}

/** Replaces a file in one step: readers see the old content or the new one, also after a crash. */
export function writePrivateFile(path: string, content: string): void {
  const partial = `${path}.partial`;
  writeFileSync(partial, content, { mode: PRIVATE_FILE_MODE, flush: true });
  chmodSync(partial, PRIVATE_FILE_MODE);
  renameSync(partial, path);
  syncPath(dirname(path));
}

/** Waits until a file's bytes, or a directory's names, are on the disk: a rename is durable only with both. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
