import { posix } from "node:path";
import { err, ok, type Result } from "#base";
import type { SandboxConfig, SandboxRefusal } from "#model";
import type { SandboxCommand } from "#ports";
import { WORKSPACE } from "./granted-paths.ts";

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

export function checkCommand(
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
