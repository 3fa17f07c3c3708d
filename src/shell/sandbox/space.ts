import { closeSync, constants, mkdirSync, openSync } from "node:fs";
import { chmod, cp, lstat } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import { err, ok, type Result } from "#base";
import type { SandboxConfig, SandboxRefusal, SandboxRun } from "#model";
import type { EgressGateway, Randomness, SandboxCommand, SandboxSpace } from "#ports";
import { closePaths, openByWalking, type OpenedPath, WORKSPACE, O_PATH } from "./granted-paths.ts";
import type { Ground, Launched } from "./ground.ts";
import { openPipes, type HandedPipes } from "./handed-pipe.ts";
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

/** Linux takes 128 KiB in one argument and a quarter of the stack, 2 MiB, in all. */
const ARGUMENT_BYTES_MAX = 128 * 1024 - 1;
const COMMAND_BYTES_MAX = 1024 * 1024;
/** A longer wait overflows the timer of the runtime, which would then fire at once. */
const WAIT_MAX_MS = 2 ** 31 - 1;

/** Everything about a space that can be refused without looking at the machine. */
export function checkConfig({ env, limits }: SandboxConfig): Result<void, SandboxRefusal> {
  for (const [name, value] of Object.entries(limits)) {
    const limit = name as keyof typeof limits;
    if (!Number.isSafeInteger(value) || value < 1) return err({ code: "sandbox_limit_refused", limit });
  }
  if (limits.timeoutMs > WAIT_MAX_MS) return err({ code: "sandbox_limit_refused", limit: "timeoutMs" });
  return checkEnv(env);
}

export type CheckedCommand = { readonly argv: readonly string[]; readonly cwd: string; readonly timeoutMs: number };

function checkCommand(
  command: SandboxCommand,
  { limits, readPaths, writePaths }: SandboxConfig,
): Result<CheckedCommand, SandboxRefusal> {
  const { argv } = command;
  if (argv[0] === undefined || argv[0] === "") return err({ code: "sandbox_command_refused", reason: "empty" });
  if (!argv.every(isText)) return err({ code: "sandbox_command_refused", reason: "not_text" });
  const sizes = argv.map((argument) => Buffer.byteLength(argument));
  if (sizes.some((bytes) => bytes > ARGUMENT_BYTES_MAX) || sizes.reduce((a, b) => a + b, 0) > COMMAND_BYTES_MAX) {
    return err({ code: "sandbox_command_refused", reason: "too_long" });
  }
  const env = checkEnv({
    ...command.env,
    ...Object.fromEntries(Object.keys(command.pipes ?? {}).map((name) => [name, ""])),
    ...(command.handsBack === undefined ? {} : { [command.handsBack.name]: "" }),
  });
  if (!env.ok) return env;
  const timeoutMs = command.timeoutMs ?? limits.timeoutMs;
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1) {
    return err({ code: "sandbox_limit_refused", limit: "timeoutMs" });
  }
  const cwd = posix.resolve(WORKSPACE, command.cwd ?? ".");
  const places = [WORKSPACE, ...[...readPaths, ...writePaths].map(({ as }) => as)];
  if (!isText(cwd) || !places.some((place) => cwd === place || cwd.startsWith(`${place}/`))) {
    return err({ code: "sandbox_cwd_refused", cwd });
  }
  return ok({ argv, cwd, timeoutMs: Math.min(timeoutMs, limits.timeoutMs) });
}

/** What the sandbox itself sets, and what the shell at its gate would not hand on as it was given. */
const OWN_NAMES = new Set(["PATH", "HOME", "PWD", "IFS", "LINENO", "OPTIND", "PPID", "PS4", "SHELLOPTS", "SHLVL", "_"]);

function checkEnv(env: Readonly<Record<string, string>>): Result<void, SandboxRefusal> {
  const wrong = Object.entries(env).find(
    ([name, value]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || OWN_NAMES.has(name) || !isText(value),
  );
  return wrong === undefined ? ok(undefined) : err({ code: "sandbox_env_refused", name: wrong[0] });
}

const isText = (text: string): boolean => text.isWellFormed() && !text.includes("\0");

/** A way out for one run: the socket of a gateway that knows its hosts, opened so that it can be shown to the run. */
export type WayOut = { readonly handle: number; close(): Promise<void> };

type Place = {
  readonly egress: EgressGateway | null;
  /** Outside of the workspace: no program finds the socket of another. */
  readonly folder: string;
  readonly randomness: Randomness;
};

/** Null for a run without network. Where nothing can keep a run to its hosts, it does not begin. [VER-07] */
async function openWayOut(
  { egress, folder, randomness }: Place,
  { network }: SandboxCommand,
): Promise<Result<WayOut | null, SandboxRefusal>> {
  if (network === undefined) return ok(null);
  if (egress === null) return err({ code: "sandbox_network_refused", reason: "no_gateway" });
  const path = join(folder, `way-${Buffer.from(randomness.bytes(8)).toString("hex")}`);
  const door = await egress.open(path, network);
  if (!door.ok) return err({ code: "sandbox_network_refused", reason: "not_opened" });
  const handle = openSync(path, O_PATH | constants.O_NOFOLLOW);
  return ok({
    handle,
    async close() {
      closeSync(handle);
      await door.value.close();
    },
  });
}
