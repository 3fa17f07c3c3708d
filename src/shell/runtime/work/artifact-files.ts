import { lstat, mkdir, open, readdir, readFile, rename, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Sha256Hex } from "#base";
import type { Artifact } from "#model";
import { createMutex } from "#ports";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash, randomUUID } = process.getBuiltinModule("node:crypto");

/** The largest result that is kept; a larger one is known by its digest only. */
export const ARTIFACT_BYTES_MOST = 64 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

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
