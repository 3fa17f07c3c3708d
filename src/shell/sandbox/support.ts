import { execFile } from "node:child_process";
import { accessSync, closeSync, constants, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { err, ok, type Result } from "#base";
import type { SandboxRefusal } from "#model";
import type { Randomness } from "#ports";
import { findInherited, type Inherited } from "./inherited.ts";
import { PROCESSORS, type Processor } from "./seccomp-calls-table.ts";
import { seccompFilter } from "./seccomp.ts";
import { makeEtc, systemMounts } from "./system-mounts.ts";
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

/** What every launch stands on. */
export type Ground = {
  readonly folder: string;
  readonly bwrap: string;
  readonly version: string;
  readonly mounts: readonly string[];
  readonly filter: string;
  readonly inherited: Inherited;
};

type Unsupported = Extract<SandboxRefusal, { readonly code: "sandbox_unsupported" }>;
type GroundOptions = { readonly host: Host; readonly workDir: string; readonly randomness: Randomness };

/** Everything that can be known without a launch; the launch that proves it comes after. */
export async function layGround({ host, workDir, randomness }: GroundOptions): Promise<Result<Ground, Unsupported>> {
  if (host.platform !== "linux") return unsupported("not_linux", host.platform);
  if (!Object.hasOwn(PROCESSORS, host.arch)) return unsupported("processor_unknown", host.arch);
  const bwrap = findProgram("bwrap", host.searchPath);
  if (bwrap === null) return unsupported("bwrap_missing", null);
  if (!canRun("/usr/bin/prlimit")) return unsupported("prlimit_missing", null);
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
    return ok({ folder, bwrap, version: version.value.trim(), mounts, filter, inherited: findInherited() });
  } catch (cause) {
    return unsupported("work_dir_unusable", cause instanceof Error ? cause.message : String(cause));
  }
}

export async function leaveGround({ folder, inherited }: Ground): Promise<void> {
  closeSync(inherited.nothing);
  await removeTree(folder);
}

export const unsupported = (reason: Unsupported["reason"], detail: string | null): Result<never, Unsupported> =>
  err({ code: "sandbox_unsupported", backend: "subprocess", reason, detail });

const run = promisify(execFile);

async function answerOf(program: string, flag: string): Promise<Result<string, string>> {
  try {
    const { stdout, stderr } = await run(program, [flag], { env: {}, timeout: 10_000 });
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
