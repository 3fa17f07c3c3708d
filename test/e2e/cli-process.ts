/** Runs the real `silas` command in a home of its own, as a person in a terminal without colours would. */
import { fork, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeEach } from "vitest";
import type { Done, Errand } from "./command-desk.ts";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const BIN = join(ROOT, "bin", "silas");
// The process itself and not its starter, so that a test that kills it kills nothing else and leaves nothing behind.
const MAIN = join(ROOT, "src", "main.ts");
/** As `bin/silas` has it. */
const COMPILE_CACHE = join(ROOT, "node_modules", ".cache", "silas");
/** The desk finds the modules of Silas as the command does. */
const FINDER = pathToFileURL(join(ROOT, "src", "cli", "with-own-modules.ts")).href;
const DESK = join(ROOT, "test", "e2e", "command-desk.ts");

export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };
export type Home = {
  readonly dir: string;
  silas(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Like `silas`, but the output must be JSON and the command must succeed. */
  json<T>(args: readonly string[]): Promise<T>;
  start(args?: readonly string[], env?: NodeJS.ProcessEnv): Promise<Started>;
  remove(): Promise<void>;
};
type RunOptions = { readonly input?: string; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string };
export type Started = {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<Ran>;
};

/** What every command of the current test said, printed when the test fails: an exit code alone explains nothing. */
const transcript: string[] = [];
beforeEach(({ onTestFailed }) => {
  transcript.length = 0;
  onTestFailed(() => console.error(transcript.join("\n")));
});

export function createHome(dir = mkdtempSync(join(tmpdir(), "silas-cli-"))): Home {
  const started: Started[] = [];
  const environment = (extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    PATH: process.env["PATH"],
    HOME: dir,
    SILAS_HOME: dir,
    TZ: "Europe/Vienna",
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...extra,
  });
  const launch = (args: readonly string[], options: RunOptions = {}) =>
    spawn(process.execPath, [MAIN, ...args], {
      cwd: options.cwd ?? dir,
      env: environment(options.env),
      stdio: ["pipe", "pipe", "pipe"],
    });
  const silas: Home["silas"] = async (args, options = {}) => {
    const { input = "", cwd = dir } = options;
    const answer = sendErrand({ argv: args, env: environment(options.env), cwd, input });
    if (answer !== null) return written(args, await answer);
    const child = launch(args, options);
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    return collect(child, args).ended;
  };
  return {
    dir,
    silas,
    async json<T>(args: readonly string[]): Promise<T> {
      const ran = await silas(args);
      if (ran.code !== 0) throw new Error(`silas ${args.join(" ")} ended with ${ran.code}: ${ran.err}`);
      return JSON.parse(ran.out) as T;
    },
    async start(args = ["--no-open"], env = {}) {
      const words = ["start", "--port", "0", ...args];
      // What Silas says by itself comes when it is due, in the middle of whatever is tried.
      const child = launch(words, { env: { SILAS_SUGGESTIONS__ENABLED: "false", ...env } });
      const collected = collect(child, words);
      const running = { child, ...collected };
      started.push(running);
      await Promise.race([untilPrinted(child, collected.output, /`silas stop`/), collected.ended]);
      return running;
    },
    async remove() {
      for (const { child, ended } of started) {
        if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
        await ended;
      }
      // Programs of a killed Silas end a moment after it.
      rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** A database of a home, next to whoever else has it open: waits for its turn instead of failing. */
export const databaseIn = (dir: string, { readOnly = false } = {}): DatabaseSync =>
  new DatabaseSync(join(dir, "data", "silas.db"), { readOnly, timeout: 60_000 });

export const urlIn = (text: string): string => /http:\/\/localhost:\d+/.exec(text)?.[0] ?? "";

/** Whether a program with this mark in its words still runs anywhere. */
export const isAlive = (mark: string): boolean =>
  readdirSync("/proc").some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(mark);
    } catch {
      return false;
    }
  });

/** A port that something else holds for the time of `work`. */
export async function withOccupiedPort<T>(work: (port: number) => Promise<T>): Promise<T> {
  const server = createServer((socket) => socket.end("not silas"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  try {
    return await work(address !== null && typeof address === "object" ? address.port : 0);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

let desk: ChildProcess | null = null;
let isBusy = false;
afterAll(() => void desk?.kill("SIGKILL"));

/** Has the desk run a command; null where it must be a process of its own: two at once, or one that stays. */
function sendErrand(errand: Errand): Promise<Ran> | null {
  if (isBusy || errand.argv[0] === "start") return null;
  isBusy = true;
  desk ??= fork(DESK, {
    execPath: process.execPath,
    execArgv: ["--import", FINDER],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const at = desk;
  return new Promise((resolve) => {
    const settle = (ran: Ran): void => {
      at.off("message", onDone).off("exit", onExit);
      isBusy = false;
      resolve(ran);
    };
    const onDone = (done: unknown): void => settle(done as Done);
    const onExit = (code: number | null): void => {
      desk = null;
      settle({ code, out: "", err: "the process of the command line ended" });
    };
    at.on("message", onDone).on("exit", onExit);
    at.send(errand);
  });
}

function written(args: readonly string[], ran: Ran, how: string | number | null = ran.code): Ran {
  transcript.push(`$ silas ${args.join(" ")}\n${ran.out}${ran.err}(ended with ${how})`);
  return ran;
}

function collect(
  child: ChildProcess,
  args: readonly string[],
): { readonly output: () => string; readonly ended: Promise<Ran> } {
  let out = "";
  let err = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = new Promise<Ran>((resolve) =>
    child.once("close", (code, signal) => resolve(written(args, { code, out, err }, signal ?? code))),
  );
  return { output: () => out + err, ended };
}

function untilPrinted(child: ChildProcess, output: () => string, pattern: RegExp): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (pattern.test(output())) resolve();
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    look();
  });
}
