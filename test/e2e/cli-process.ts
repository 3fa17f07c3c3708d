/** Runs the real `silas` command in a home of its own, as a person in a terminal without colours would. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach } from "vitest";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const BIN = join(ROOT, "bin", "silas");
// The process itself and not its starter, so that a test that kills it kills nothing else and leaves nothing behind.
const MAIN = join(ROOT, "src", "main.ts");

export type Ran = { readonly code: number | null; readonly out: string; readonly err: string };
export type Home = {
  readonly dir: string;
  silas(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Like `silas`, but the output must be JSON and the command must succeed. */
  json<T>(args: readonly string[]): Promise<T>;
  start(args?: readonly string[], env?: NodeJS.ProcessEnv): Promise<Started>;
  remove(): Promise<void>;
};
export type RunOptions = { readonly input?: string; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string };
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

export function createHome(): Home {
  const dir = mkdtempSync(join(tmpdir(), "silas-cli-"));
  const started: Started[] = [];
  const environment = (extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    PATH: process.env["PATH"],
    HOME: dir,
    SILAS_HOME: dir,
    TZ: "Europe/Vienna",
    // As `bin/silas` has it.
    NODE_COMPILE_CACHE: join(ROOT, "node_modules", ".cache", "silas"),
    ...extra,
  });
  const launch = (args: readonly string[], options: RunOptions = {}) =>
    spawn(process.execPath, [MAIN, ...args], {
      cwd: options.cwd ?? dir,
      env: environment(options.env),
      stdio: ["pipe", "pipe", "pipe"],
    });
  return {
    dir,
    silas: (args, options = {}) => {
      const child = launch(args, options);
      child.stdin.on("error", () => {});
      child.stdin.end(options.input ?? "");
      return collect(child, args).ended;
    },
    async json<T>(args: readonly string[]): Promise<T> {
      const ran = await collect(launch(args), args).ended;
      if (ran.code !== 0) throw new Error(`silas ${args.join(" ")} ended with ${ran.code}: ${ran.err}`);
      return JSON.parse(ran.out) as T;
    },
    async start(args = ["--no-open"], env = {}) {
      const words = ["start", "--port", "0", ...args];
      const child = launch(words, { env });
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
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export const urlIn = (text: string): string => /http:\/\/localhost:\d+/.exec(text)?.[0] ?? "";

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

function collect(
  child: ChildProcess,
  args: readonly string[],
): { readonly output: () => string; readonly ended: Promise<Ran> } {
  let out = "";
  let err = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = new Promise<Ran>((resolve) =>
    child.once("close", (code, signal) => {
      transcript.push(`$ silas ${args.join(" ")}\n${out}${err}(ended with ${signal ?? code})`);
      resolve({ code, out, err });
    }),
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
