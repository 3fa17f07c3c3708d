import { constants, type Stats } from "node:fs";
import { open } from "node:fs/promises";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash } = process.getBuiltinModule("node:crypto");

/** Digests of files, each read once as long as it is as it was. */
export type Digests = {
  /** Null where it cannot be read, or grows while it is; `later` when this look has read as much as it may. */
  of(file: DigestedFile, look: LookBudget): Promise<string | "later" | null>;
};
type DigestedFile = { readonly path: string; readonly about: Stats };
/** How much one look may still read. */
type LookBudget = { bytesLeft: number };

type Known = Pick<Stats, "dev" | "ino" | "size" | "mtimeMs" | "ctimeMs"> & { readonly sha256: string };

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const CHUNK_BYTES = 1024 * 1024;
const FILES_MOST = 20_000;

/**
 * A goal looks at the same files again and again. What is remembered decides nothing: a file is moved only if it has the
 * approved bytes in the moment it is moved.
 */
export function createDigests(): Digests {
  const known = new Map<string, Known>();
  return {
    async of({ path, about }, look) {
      const before = known.get(path);
      if (before !== undefined && isSame(before, about)) return before.sha256;
      if (about.size > look.bytesLeft) return "later";
      look.bytesLeft -= about.size;
      const sha256 = await digestOf(path, about.size).catch(() => null);
      if (sha256 === null) return null;
      const { dev, ino, size, mtimeMs, ctimeMs } = about;
      if (known.size >= FILES_MOST) known.clear();
      known.set(path, { dev, ino, size, mtimeMs, ctimeMs, sha256 });
      return sha256;
    },
  };
}

const isSame = (before: Known, about: Stats): boolean =>
  (["dev", "ino", "size", "mtimeMs", "ctimeMs"] as const).every((name) => before[name] === about[name]);

async function digestOf(path: string, size: number): Promise<string | null> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const hash = createHash("sha256");
    const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, size + 1));
    // One that is written faster than it is read would never end.
    for (let left = size; left >= 0;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(buffer.subarray(0, bytesRead));
      left -= bytesRead;
    }
    return null;
  } finally {
    await file.close();
  }
}
