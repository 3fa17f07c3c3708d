import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_DIR_MODE = 0o700;

/** Makes a directory that only the owner may enter; an existing one is closed to others. */
export function ensurePrivateDir(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_DIR_MODE });
  chmodSync(path, PRIVATE_DIR_MODE);
}

/** Makes sure a file exists and only the owner may read it, before anything is written into it. */
export function ensurePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", PRIVATE_FILE_MODE));
  chmodSync(path, PRIVATE_FILE_MODE);
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
