import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Randomness } from "#ports";
import { endHolding } from "./process-tree.ts";

/** Every folder under `sandbox.work_dir` is named after the process it belongs to, so that a later one knows it is dead. */
const NAME = /^run-(?<pid>\d+)-(?<ticks>\d+)-[0-9a-f]{16}$/;

/** A new folder, closed to everyone else. */
export function makeOwnedFolder(workDir: string, randomness: Randomness): string {
  const name = `run-${process.pid}-${startTicks(process.pid)}-${Buffer.from(randomness.bytes(8)).toString("hex")}`;
  const folder = join(workDir, name);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** The folder of all of them, closed to everyone else. */
export function prepareWorkDir(workDir: string): void {
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  chmodSync(workDir, 0o700);
}

/**
 * Removes the folders of processes that are gone. Their programs ended with them or never began; bubblewrap ended in the
 * midst of its preparations leaves a process that waits for ever, and is ended here. Answers with how many folders there were.
 */
export async function sweepWorkspaces(workDir: string): Promise<number> {
  const stale = listFolders(workDir).filter(isOfTheDead);
  for (const name of stale) {
    endHolding(name);
    await removeTree(join(workDir, name));
  }
  return stale.length;
}

/** Whether a name says that it belongs to a process, and that process is gone. */
export function isOfTheDead(name: string): boolean {
  const { pid = "", ticks = "" } = NAME.exec(name)?.groups ?? {};
  return pid !== "" && startTicks(Number(pid)) !== ticks;
}

/** Removes a space's folder; most are empty, and those are gone without waiting for anybody. */
export async function removeSpace(folder: string, workspace: string): Promise<void> {
  try {
    rmdirSync(workspace);
    rmdirSync(folder);
  } catch {
    await removeTree(folder);
  }
}

/** Removes a tree whatever a program made of it: without rights, or deeper than a path can be written. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // These two go down folder by folder and follow no link.
    await run("/bin/chmod", ["-R", "u+rwx", "--", path]).catch(() => null);
    await run("/bin/rm", ["-rf", "--", path]).catch(() => null);
  }
}

const run = promisify(execFile);

function listFolders(workDir: string): readonly string[] {
  try {
    return readdirSync(workDir);
  } catch {
    return [];
  }
}

/** When a process began, in ticks since boot: with its number this names it for good. Null where there is none. */
function startTicks(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields[19] ?? null;
  } catch {
    return null;
  }
}
