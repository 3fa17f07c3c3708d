import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { VerificationCheck } from "#model";
import { mayDecideCheck, type CheckFiles } from "#work";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash } = process.getBuiltinModule("node:crypto");
const FILES_MOST = 5_000;
const BYTES_MOST = 16 * 1024 * 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * The files of a workspace that checks may rely on. Programs made what lies there: no link is followed, and what is too
 * large or too much to read counts as another each time, so that it is reported rather than passed over.
 */
export async function readCheckFiles(workspace: string, checks: readonly VerificationCheck[]): Promise<CheckFiles> {
  const found = new Map<string, string>();
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of await readdir(join(workspace, folder), { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      // What git keeps for itself is not what a check runs.
      if (entry.isDirectory() && path !== ".git") folders.push(path);
      else if (!entry.isDirectory() && mayDecideCheck(path, checks)) {
        if (found.size >= FILES_MOST) return found.set("more files than can be compared", `${performance.now()}`);
        found.set(path, entry.isFile() ? await digestOf(join(workspace, path)) : "no file");
      }
    }
  }
  return found;
}

async function digestOf(path: string): Promise<string> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
  if (file === null) return "unreadable";
  try {
    const { size } = await file.stat();
    if (size > BYTES_MOST) return `too large at ${performance.now()}`;
    return createHash("sha256")
      .update(await file.readFile())
      .digest("hex");
  } finally {
    await file.close();
  }
}
