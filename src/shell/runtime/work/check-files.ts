import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { VerificationCheck } from "#model";
import { isCheckProgram, mayDecideCheck, type CheckFiles } from "#work";

// Asked of Node directly: an import reads every export of `node:crypto`, and one of them builds all of Web Crypto.
const { createHash } = process.getBuiltinModule("node:crypto");
const FILES_MOST = 5_000;
/** A granted folder may be as large as a home. */
const FOLDERS_MOST = 20_000;
const BYTES_MOST = 16 * 1024 * 1024;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

type Places = {
  readonly workspace: string;
  /** Folders outside that the run may change; their files are named by their whole paths. */
  readonly granted: readonly string[];
  readonly checks: readonly VerificationCheck[];
};

/**
 * The files of a workspace and of granted folders that checks may rely on. Programs made what lies there: no link is
 * followed, and what is too large or too much to read counts as another each time, so that it is reported rather than
 * passed over.
 */
export async function readCheckFiles({ workspace, granted, checks }: Places): Promise<CheckFiles> {
  const found = new Map<string, string>();
  const inWorkspace = (path: string): string | null => (mayDecideCheck(path, checks) ? path : null);
  let isWhole = await readFolder({ root: workspace, nameOf: inWorkspace, found });
  for (const root of granted) {
    const nameOf = (path: string): string | null => {
      const whole = join(root, path);
      return mayDecideCheck(path, checks) || isCheckProgram(whole, checks) ? whole : null;
    };
    isWhole &&= await readFolder({ root, nameOf, found });
  }
  return isWhole ? found : found.set("more files than can be compared", `${performance.now()}`);
}

type Reading = {
  readonly root: string;
  /** The name of a file that counts as a test; null for any other. */
  readonly nameOf: (path: string) => string | null;
  readonly found: Map<string, string>;
};

/** False when there is more than is read. */
async function readFolder({ root, nameOf, found }: Reading): Promise<boolean> {
  const folders = [""];
  for (let place = 0; place < folders.length; place += 1) {
    const folder = folders[place] ?? "";
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      // What git keeps for itself is not what a check runs.
      if (entry.isDirectory() && path !== ".git") folders.push(path);
      const name = entry.isDirectory() ? null : nameOf(path);
      if (name === null) continue;
      if (found.size >= FILES_MOST) return false;
      found.set(name, entry.isFile() ? await digestOf(join(root, path)) : "no file");
    }
    if (folders.length > FOLDERS_MOST) return false;
  }
  return true;
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
