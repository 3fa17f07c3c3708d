import { closeSync, constants, mkdirSync, openSync } from "node:fs";
import { cp, lstat, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { err, ok, type Result } from "#base";
import type { SandboxConfig, SandboxRefusal, SandboxRun } from "#model";
import type { EgressGateway, Randomness, SandboxCommand, SandboxSpace, Timers } from "#ports";
import { bwrapOptions, programArguments } from "./bwrap-arguments.ts";
import { withEgress } from "./egress-program.ts";
import { closePaths, openByWalking, type OpenedPath } from "./granted-paths.ts";
import { launch, type Launched } from "./launch.ts";
import { checkCommand } from "./requests.ts";
import type { Ground } from "./support.ts";
import { openWayOut, type WayOut } from "./way-out.ts";
import { makeOwnedFolder, removeSpace, removeTree } from "./work-dir.ts";

export type SpaceParts = {
  readonly config: SandboxConfig;
  readonly paths: readonly OpenedPath[];
  readonly ground: Ground;
  readonly egress: EgressGateway | null;
  readonly workDir: string;
  readonly randomness: Randomness;
  readonly timers: Timers;
};

/** Makes the workspace and copies into it what the plan begins with. */
export async function createSpace(parts: SpaceParts): Promise<Result<SandboxSpace, SandboxRefusal>> {
  const folder = makeOwnedFolder(parts.workDir, parts.randomness);
  const workspace = join(folder, "workspace");
  mkdirSync(workspace, { mode: 0o700 });
  const seeded = await seed(workspace, parts.config);
  if (!seeded.ok) {
    closePaths(parts.paths);
    await removeTree(folder);
    return seeded;
  }
  const handle = openSync(workspace, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return ok(spaceOf({ ...parts, folder, workspace, handle }));
}

type OpenSpace = SpaceParts & { readonly folder: string; readonly workspace: string; readonly handle: number };

function spaceOf(space: OpenSpace): SandboxSpace {
  const running = new Set<Launched>();
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    for (const { kill } of running) kill();
    await Promise.all([...running].map(({ ended }) => ended));
    closePaths(space.paths);
    closeSync(space.handle);
    await removeSpace(space.folder, space.workspace);
  };
  return {
    id: basename(space.folder),
    workspace: space.workspace,
    async run(command): Promise<Result<SandboxRun, SandboxRefusal>> {
      if (closing !== null) return err({ code: "sandbox_closed" });
      const way = await openWayOut(space, command);
      if (!way.ok) return way;
      try {
        if (closing !== null) return err({ code: "sandbox_closed" });
        const begun = begin({ ...space, way: way.value }, command);
        if (!begun.ok) return begun;
        running.add(begun.value);
        const ended = await begun.value.ended;
        running.delete(begun.value);
        return ended;
      } finally {
        await way.value?.close();
      }
    },
    close: () => (closing ??= close()),
  };
}

type Beginning = OpenSpace & { readonly way: WayOut | null };

function begin(space: Beginning, command: SandboxCommand): Result<Launched, SandboxRefusal> {
  const { config, ground, paths, timers, workspace, way } = space;
  const checked = checkCommand(command, config);
  if (!checked.ok) return checked;
  const { argv, cwd, timeoutMs } = checked.value;
  const env = { ...config.env, ...command.env };
  // Read from the start by each launch, so each has its own handle on it.
  const filter = openSync(ground.filter, "r");
  try {
    const launched = launch({
      bwrap: ground.bwrap,
      options: bwrapOptions({
        mounts: ground.mounts,
        config,
        paths,
        env,
        cwd,
        network: way === null ? "none" : "gateway",
      }),
      program: programArguments(way === null ? argv : withEgress(argv), config),
      inherited: ground.inherited,
      handed: [filter, space.handle, ...paths.map(({ fd }) => fd), ...(way === null ? [] : [way.handle])],
      workspace,
      limits: config.limits,
      timeoutMs,
      stdin: command.stdin ?? null,
      onLine: command.onLine,
      timers,
    });
    return ok(launched);
  } finally {
    closeSync(filter);
  }
}

async function seed(workspace: string, { workDir, limits }: SandboxConfig): Promise<Result<void, SandboxRefusal>> {
  if (workDir === null) return ok(undefined);
  const refuse = (reason: SeedFault) => err({ code: "sandbox_path_refused" as const, path: workDir, reason });
  const opened = openByWalking(workDir);
  if (!opened.ok) return refuse(opened.error);
  let bytes = 0;
  let fault: SeedFault | null = null;
  const isCopied = async (path: string): Promise<boolean> => {
    const found = await lstat(path);
    bytes += found.size;
    if (bytes > limits.fileBytes) fault = "too_large";
    else if (!found.isFile() && !found.isDirectory() && !found.isSymbolicLink()) fault = "special_file";
    return fault === null;
  };
  try {
    // Links are copied as links: what they name is looked for inside the sandbox.
    const from = `/proc/self/fd/${opened.value}/.`;
    await cp(from, workspace, { recursive: true, verbatimSymlinks: true, filter: isCopied });
    await mkdir(workspace, { recursive: true });
    return fault === null ? ok(undefined) : refuse(fault);
  } catch {
    return refuse("unreadable");
  } finally {
    closeSync(opened.value);
  }
}

type SeedFault = Extract<SandboxRefusal, { readonly code: "sandbox_path_refused" }>["reason"];
