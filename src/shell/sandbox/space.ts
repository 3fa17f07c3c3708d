import { closeSync, constants, mkdirSync, openSync } from "node:fs";
import { chmod, cp, lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import { err, ok, type Result } from "#base";
import type { SandboxConfig, SandboxRefusal, SandboxRun } from "#model";
import type { EgressGateway, Randomness, SandboxCommand, SandboxSpace } from "#ports";
import { closePaths, openByWalking, type OpenedPath } from "./granted-paths.ts";
import type { Ground, Launched } from "./ground.ts";
import { openPipes, type HandedPipes } from "./handed-pipe.ts";
import { checkCommand } from "./requests.ts";
import { openWayOut, type WayOut } from "./way-out.ts";
import { makeOwnedFolder, removeSpace, removeTree } from "./work-dir.ts";

export type SpaceParts = {
  readonly config: SandboxConfig;
  readonly paths: readonly OpenedPath[];
  readonly ground: Ground;
  readonly egress: EgressGateway | null;
  readonly workDir: string;
  readonly randomness: Randomness;
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
        const pipes = await openPipes(space, command);
        if (!pipes.ok) return pipes;
        const isOver = closing !== null;
        const begun = isOver ? CLOSED : begin({ ...space, way: way.value, pipes: pipes.value }, command);
        pipes.value.close();
        if (!begun.ok) {
          pipes.value.finish();
          return begun;
        }
        running.add(begun.value);
        const ended = await begun.value.ended;
        running.delete(begun.value);
        pipes.value.finish();
        return ended;
      } finally {
        await way.value?.close();
      }
    },
    close: () => (closing ??= close()),
  };
}

const CLOSED = err({ code: "sandbox_closed" } as const);

type Beginning = OpenSpace & { readonly way: WayOut | null; readonly pipes: HandedPipes };

function begin(space: Beginning, command: SandboxCommand): Result<Launched, SandboxRefusal> {
  const { config, ground, paths, workspace, handle, way, pipes } = space;
  const checked = checkCommand(command, config);
  if (!checked.ok) return checked;
  const env = { ...config.env, ...command.env };
  const { stdin = null, onLine, onInput } = command;
  const heard = { stdin, onLine, onInput };
  return ok(ground.start({ ...checked.value, ...heard, config, env, workspace, handle, paths, way, pipes }));
}

async function seed(workspace: string, { workDir, limits }: SandboxConfig): Promise<Result<void, SandboxRefusal>> {
  if (workDir === null) return ok(undefined);
  const refuse = (reason: SeedFault) => err({ code: "sandbox_path_refused" as const, path: workDir, reason });
  const opened = openByWalking(workDir);
  if (!opened.ok) return refuse(opened.error);
  let bytes = 0;
  let fault: SeedFault | null = null;
  const armed = new Map<string, number>();
  const isCopied = async (path: string, copy: string): Promise<boolean> => {
    const found = await lstat(path);
    if (!found.isSymbolicLink() && (found.mode & 0o7000) !== 0) armed.set(copy, found.mode & 0o777);
    bytes += found.size;
    if (bytes > limits.fileBytes) fault = "too_large";
    else if (!found.isFile() && !found.isDirectory() && !found.isSymbolicLink()) fault = "special_file";
    return fault === null;
  };
  try {
    // Links are copied as links: what they name is looked for inside the sandbox.
    const from = `/proc/self/fd/${opened.value}/.`;
    await cp(from, workspace, { recursive: true, verbatimSymlinks: true, filter: isCopied });
    // A copy is a file of its own, and runs with nobody's rights but those of whoever starts it.
    for (const [copy, mode] of armed) await chmod(copy, mode);
    return fault === null ? ok(undefined) : refuse(fault);
  } catch {
    return refuse("unreadable");
  } finally {
    closeSync(opened.value);
  }
}

type SeedFault = Extract<SandboxRefusal, { readonly code: "sandbox_path_refused" }>["reason"];
