import { execFile } from "node:child_process";
import { accessSync, closeSync, constants, writeFileSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { err, ok, type Result } from "#base";
import type { Randomness, Timers } from "#ports";
import { startBwrap } from "./bwrap-start.ts";
import type { Ground, Unsupported } from "./ground.ts";
import { findInherited } from "./launch.ts";
import { PROCESSORS, type Processor } from "./seccomp/calls-table.ts";
import { seccompFilter } from "./seccomp/filter.ts";
import { hiddenFiles, makeEtc, systemMounts } from "./system-mounts.ts";
import { findTaskGroups } from "./task-groups.ts";
import { makeOwnedFolder, prepareWorkDir, removeTree } from "./work-dir.ts";

/** The machine a sandbox is to be built on. */
export type Host = {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** As PATH says. */
  readonly searchPath: string;
  /** The Node that Silas runs on. */
  readonly node: string;
};

type GroundOptions = {
  readonly host: Host;
  readonly workDir: string;
  readonly randomness: Randomness;
  readonly timers: Timers;
};

/** Everything that can be known without a launch; the launch that proves it comes after. */
export async function layGround(options: GroundOptions): Promise<Result<Ground, Unsupported>> {
  const { host, workDir, randomness, timers } = options;
  if (host.platform !== "linux") return unsupported("not_linux", host.platform);
  if (!Object.hasOwn(PROCESSORS, host.arch)) return unsupported("processor_unknown", host.arch);
  const bwrap = findProgram("bwrap", host.searchPath);
  if (bwrap === null) return unsupported("bwrap_missing", null);
  const [version, help] = await Promise.all([answerOf(bwrap, "--version"), answerOf(bwrap, "--help")]);
  if (!version.ok) return unsupported("namespaces_refused", version.error);
  if (!help.ok || !help.value.includes("--ro-bind-fd")) return unsupported("bwrap_too_old", version.value.trim());
  try {
    prepareWorkDir(workDir);
    const folder = makeOwnedFolder(workDir, randomness);
    const filter = join(folder, "filter");
    writeFileSync(filter, seccompFilter(host.arch as Processor), { mode: 0o600 });
    const etc = makeEtc(join(folder, "etc"));
    const mounts = systemMounts({ node: host.node, etc });
    const hidden = hiddenFiles();
    const inherited = findInherited();
    const groups = findTaskGroups(basename(folder));
    return ok({
      version: version.value.trim(),
      own: [],
      trial: ["/usr/bin/true"],
      handsOverPipes: true,
      talks: true,
      start: (order) => startBwrap(order, { bwrap, mounts, hidden, filter, inherited, groups, timers }),
      async leave() {
        closeSync(inherited.nothing);
        groups?.close();
        await removeTree(folder);
      },
    });
  } catch (cause) {
    return unsupported("work_dir_unusable", cause instanceof Error ? cause.message : String(cause));
  }
}

const unsupported = (reason: Unsupported["reason"], detail: string | null): Result<never, Unsupported> =>
  err({ code: "sandbox_unsupported", backend: "subprocess", reason, detail });

const run = promisify(execFile);
/** A machine that is busy answers late, and lacks nothing. */
const ANSWER_WAIT_MS = 60_000;

async function answerOf(program: string, flag: string): Promise<Result<string, string>> {
  try {
    const { stdout, stderr } = await run(program, [flag], { env: {}, timeout: ANSWER_WAIT_MS });
    return ok(stdout + stderr);
  } catch (cause) {
    return err(cause instanceof Error ? cause.message : String(cause));
  }
}

function findProgram(name: string, searchPath: string): string | null {
  const places = searchPath.split(":").filter((place) => isAbsolute(place));
  return places.map((place) => join(place, name)).find(canRun) ?? null;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
