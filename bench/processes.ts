import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { request as httpRequest, type Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A server in a process of its own that has answered `GET /health` with 200. */
export type Server = {
  readonly pid: number;
  readonly port: number;
  /** From the call that started the process to the first 200. */
  readonly readyMs: number;
  /** Waits for a text on standard output and gives back its first group. */
  readonly said: (pattern: RegExp) => Promise<string>;
  readonly stop: () => Promise<void>;
};

export type ServerCommand = { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> };

const START_MS = 60_000;

/** Where `silas` and `npm start` tell Node to keep what it compiled. */
const COMPILED = fileURLToPath(new URL("../node_modules/.cache/silas", import.meta.url));

/** As `scripts/own-node.mjs` gives it to the server. */
const SERVER_FLAGS = ["--max-semi-space-size=2"];

/** The product as `silas start` runs it, on a free port, with a directory of its own and nothing else configured. */
export const productCommand = (home: string): ServerCommand => ({
  args: [...SERVER_FLAGS, fileURLToPath(new URL("../src/main.ts", import.meta.url)), ...START],
  env: { SILAS_HOME: home, HOME: home, NODE_COMPILE_CACHE: COMPILED },
});

const START = ["start", "--no-open", "--port", "0"];

export const bareCommand = (file: string): ServerCommand => ({
  args: [fileURLToPath(new URL("bare-server.mjs", import.meta.url)), file],
});

export async function startServer(command: ServerCommand): Promise<Server> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, command.args, {
    // Nothing of the caller's own configuration may change what is measured.
    env: { PATH: process.env["PATH"] ?? "", NODE_NO_WARNINGS: "1", CI: "1", ...command.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = listen(child);
  const port = Number(await said(/http:\/\/localhost:(\d+)/));
  const health = await send({ port, path: "/health" });
  if (health.status !== 200) throw new Error(`/health answered ${health.status}`);
  const readyMs = performance.now() - startedMs;
  return { pid: child.pid ?? 0, port, readyMs, said, stop: () => stop(child) };
}

type Call = {
  readonly port: number;
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string;
  readonly agent?: Agent;
};

export function send({ port, path, body, token, agent }: Call): Promise<{ status: number; text: string }> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    host: `localhost:${port}`,
    ...(body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path, method, headers, agent }, (response) => {
      let answer = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => void (answer += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: answer }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(text);
  });
}

/** Signs a program in with the link that the started product prints. */
export async function signIn(server: Server): Promise<string> {
  const code = await server.said(/\/enrol#([\w-]+)/);
  const answer = await send({ port: server.port, path: "/session/enrol", body: { code, device_name: "Bench" } });
  if (answer.status !== 200) throw new Error(`enrolment answered ${answer.status}`);
  return (JSON.parse(answer.text) as { token: string }).token;
}

/** Memory in MB once it has settled: two readings in a row that agree, or the last of a bounded number. */
export async function settledRssMb(pid: number): Promise<number> {
  let last = rssMb(pid);
  for (let tries = 0; tries < 20; tries += 1) {
    await delay(150);
    const now = rssMb(pid);
    if (Math.abs(now - last) < 0.005 * last) return now;
    last = now;
  }
  return last;
}

function rssMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kib) * 1024) / 1e6;
}

/** CPU time the process has used so far, all threads. The kernel counts in hundredths of a second. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same to the nanosecond: the scheduler's own count, of the threads that there are. */
export function exactCpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const countedNs = threads.map((thread) => Number(schedstat(pid, thread).split(" ")[0]));
  return countedNs.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** A thread may end between being listed and being read. */
function schedstat(pid: number, thread: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
  } catch {
    return "0";
  }
}

function listen(child: ChildProcess): Server["said"] {
  let output = "";
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    wake();
  });
  child.once("exit", wake);
  return (pattern) =>
    new Promise((resolve, reject) => {
      const finish = (act: () => void) => {
        clearTimeout(timer);
        waiting.delete(look);
        act();
      };
      const look = () => {
        const found = pattern.exec(output)?.[1];
        if (found !== undefined) finish(() => resolve(found));
        else if (child.exitCode !== null) finish(() => reject(new Error(`ended early: ${output}`)));
      };
      const timer = setTimeout(() => finish(() => reject(new Error(`did not start: ${output}`))), START_MS);
      waiting.add(look);
      look();
    });
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}
