import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod/mini";
import { err, ok, type Result } from "#base";
import { faultOf } from "#engine";
import { instantSchema, type StoreFault } from "#model";
import { ensureDataDir, ensurePrivateFile, writePrivateFile } from "./private-files.ts";

const instanceSchema = z.strictObject({
  pid: z.int(),
  url: z.string(),
  cli_token: z.string(),
  started_at: instantSchema,
  version: z.string(),
});
/** What a running Silas tells other processes of the same owner: where it is and how to speak to it. */
export type Instance = z.infer<typeof instanceSchema>;

export type InstanceLock = {
  /** Tells others about this process; the file is for the owner's eyes only. */
  readonly publish: (instance: Instance) => Result<void, StoreFault>;
  readonly release: () => void;
};
export type InstanceRunning = { readonly code: "instance_running"; readonly instance: Instance | null };

/** A starting process may meet a probe that holds the lock for a blink. */
const PROBE_WAIT_MS = 500;

/**
 * One process per data directory. The lock is SQLite's own lock on a small file: the operating system drops it with the
 * process, also after `kill -9`, so there is no stale lock to clean up and no pid to trust.
 */
export function acquireInstanceLock(dataDir: string): Result<InstanceLock, InstanceRunning | StoreFault> {
  let handle: DatabaseSync | null = null;
  try {
    ensureDataDir(dataDir);
    ensurePrivateFile(lockPath(dataDir));
    handle = new DatabaseSync(lockPath(dataDir), { timeout: PROBE_WAIT_MS });
    handle.exec("BEGIN EXCLUSIVE");
    return ok(createLock(dataDir, handle));
  } catch (cause) {
    handle?.close();
    const fault = faultOf(cause);
    return fault.code === "store_busy"
      ? err({ code: "instance_running", instance: loadInstance(dataDir) })
      : err(fault);
  }
}

function createLock(dataDir: string, handle: DatabaseSync): InstanceLock {
  // What a killed process left behind is not about us.
  rmSync(instancePath(dataDir), { force: true });
  return {
    publish: (instance) => {
      try {
        return ok(writePrivateFile(instancePath(dataDir), `${JSON.stringify(instance)}\n`));
      } catch (cause) {
        return err(faultOf(cause));
      }
    },
    release: () => {
      if (!handle.isOpen) return;
      rmSync(instancePath(dataDir), { force: true });
      handle.close();
    },
  };
}

type InstanceState =
  | { readonly state: "none" }
  /** `instance` is null in the moment between the lock and its publication. */
  | { readonly state: "live"; readonly instance: Instance | null }
  | { readonly state: "stale"; readonly instance: Instance };

/** Whether a Silas runs on this data directory. Writes nothing. */
export function readInstance(dataDir: string): Result<InstanceState, StoreFault> {
  if (!existsSync(lockPath(dataDir))) return ok({ state: "none" });
  try {
    if (isLocked(dataDir)) return ok({ state: "live", instance: loadInstance(dataDir) });
  } catch (cause) {
    return err(faultOf(cause));
  }
  const left = loadInstance(dataDir);
  return ok(left === null ? { state: "none" } : { state: "stale", instance: left });
}

/** Only SQLite may open the lock file: closing any other handle on it would drop this process's own lock. */
function isLocked(dataDir: string): boolean {
  const handle = new DatabaseSync(lockPath(dataDir), { timeout: 0 });
  try {
    handle.prepare("SELECT count(*) FROM sqlite_master").get();
    return false;
  } catch (cause) {
    if (faultOf(cause).code === "store_busy") return true;
    throw cause;
  } finally {
    handle.close();
  }
}

function loadInstance(dataDir: string): Instance | null {
  try {
    const parsed = z.safeParse(instanceSchema, JSON.parse(readFileSync(instancePath(dataDir), "utf8")));
    return parsed.success ? parsed.data : null;
  } catch {
    // Absent, half-written or foreign: the lock alone says whether someone runs.
    return null;
  }
}

const lockPath = (dataDir: string): string => join(dataDir, "instance.lock");
const instancePath = (dataDir: string): string => join(dataDir, "instance.json");
