import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { performance } from "node:perf_hooks";
import type { Duplex, Readable, Writable } from "node:stream";
import { openSync, readdirSync, readFileSync } from "node:fs";
import { ok } from "#base";
import type { SandboxConfig, SandboxRun } from "#model";
import type { SandboxCommand, Timers } from "#ports";
import { HANDED, keepGate } from "./bwrap-arguments.ts";
import type { Launched } from "./ground.ts";
import { createCapture, lineTeller, endOfCode, notStarted, untilGone } from "./output.ts";
import { childrenOf, parentOf } from "./process-tree.ts";
import type { TaskGroup } from "./task-groups.ts";
import { watchRun } from "./watch.ts";

type Launch = {
  readonly bwrap: string;
  readonly options: readonly string[];
  readonly program: readonly string[];
  /** Open files by the number bubblewrap finds them under, from HANDED.first on. */
  readonly handed: readonly number[];
  readonly inherited: Inherited;
  readonly group: TaskGroup | null;
  readonly workspace: string;
  readonly limits: SandboxConfig["limits"];
  readonly timeoutMs: number;
  readonly stdin: Uint8Array | null;
  readonly onLine: SandboxCommand["onLine"];
  readonly onInput: SandboxCommand["onInput"];
  readonly timers: Timers;
};

/** If the end of the first process does not end the rest within this, bubblewrap itself is ended, and so all. */
const SECOND_KILL_MS = 2000;

/** The first process is bubblewrap's own. */
const OWN_PROCESSES = 1;

export function launch(order: Launch): Launched {
  const startedMs = performance.now();
  const child = spawnBwrap(order);
  const onBound = enterGroup(child, order.group);
  const status = readStatus(child);
  let cause: SandboxRun["end"] | null = null;
  const end = (why: SandboxRun["end"]): void => {
    cause ??= why;
    status.onceFirst((first) => killAll({ child, first, timers: order.timers }));
  };
  const capture = (stream: "stdout" | "stderr") => {
    const kept = createCapture({
      bytesMax: order.limits.outputBytes,
      onFlood: () => end({ kind: "limit", which: "output" }),
      onText: lineTeller(order.onLine, stream),
    });
    child[stream]?.on("data", kept.take);
    return kept;
  };
  const captures = { stdout: capture("stdout"), stderr: capture("stderr") };
  const watch = watchRun({
    ...order,
    first: status.first,
    ownProcesses: OWN_PROCESSES,
    onOver: (which) => end({ kind: "limit", which }),
  });
  const cancelTimeout = order.timers.after(order.timeoutMs, () => end({ kind: "timeout" }));
  feed(child, order);
  keepGate({
    child,
    gate: child.stdio.at(HANDED.gate) as Duplex,
    first: status.first,
    isOver: () => cause !== null,
    onBound,
  });
  const ended = waitFor(child).then(async (failure) => {
    await untilGone(status.first());
    order.group?.close();
    watch.stop();
    cancelTimeout();
    const stderr = captures.stderr.end();
    if (failure !== null) return notStarted(failure);
    const own = endOf(child, status.exitCode());
    if (cause === null && own === null) return notStarted(Buffer.from(stderr.bytes).toString());
    const judged = cause ?? own ?? { kind: "timeout" };
    const last: SandboxRun["end"] = (await watch.isOverfull()) ? { kind: "limit", which: "files" } : judged;
    return ok({ end: last, stdout: captures.stdout.end(), stderr, durationMs: performance.now() - startedMs });
  });
  return { ended, kill: () => end({ kind: "signal", signal: "SIGKILL" }) };
}

function spawnBwrap({ bwrap, program, stdin, onInput, handed, inherited }: Launch): ChildProcess {
  const input = stdin === null && onInput === undefined ? "ignore" : "pipe";
  const list = [input, "pipe", "pipe", "pipe", "pipe", "pipe", ...handed] as const;
  const args = ["--args", String(HANDED.options), "--", ...program];
  return spawn(bwrap, args, { env: {}, stdio: covering(list, inherited) });
}

/** bubblewrap prepares while the kernel makes room in the group; what it starts meanwhile follows at the gate. */
function enterGroup(child: ChildProcess, group: TaskGroup | null): (first: number) => Promise<void> {
  const entering = child.pid === undefined ? undefined : group?.enter([child.pid]);
  return async (first) => {
    await entering;
    await group?.enter([first, ...childrenOf(first)]);
  };
}

/**
 * What bubblewrap says of itself: the number of the first process, and the exit code once the program has ended. Before
 * it has said the first there is nothing that could be ended safely: bubblewrap ended in the midst of its preparations
 * would leave the first process behind. If it fails before, it ends by itself.
 */
function readStatus(child: ChildProcess) {
  let text = "";
  let waiting: ((first: number) => void)[] = [];
  const figure = (name: string): number | null => {
    const found = new RegExp(`"${name}": (\\d+)\\D`).exec(text)?.[1];
    return found === undefined ? null : Number(found);
  };
  const tell = (): void => {
    const first = figure("child-pid");
    if (first === null) return;
    const told = waiting;
    waiting = [];
    for (const work of told) work(first);
  };
  (child.stdio[HANDED.status] as Readable).on("data", (chunk: Buffer) => {
    text += chunk.toString();
    tell();
  });
  return {
    first: () => figure("child-pid"),
    exitCode: () => figure("exit-code"),
    onceFirst(work: (first: number) => void): void {
      waiting.push(work);
      tell();
    },
  };
}

function feed(child: ChildProcess, { options, stdin, onInput }: Launch): void {
  // A program may end before it has read everything; what it did not read is nobody's loss.
  for (const stream of child.stdio) stream?.on("error", () => {});
  (child.stdio[HANDED.options] as Writable).end(options.map((option) => `${option}\0`).join(""));
  if (onInput !== undefined)
    onInput({ say: (text) => void child.stdin?.write(text), end: () => void child.stdin?.end() });
  else if (stdin !== null) child.stdin?.end(stdin);
}

type Killing = { readonly child: ChildProcess; readonly first: number; readonly timers: Timers };

/**
 * Ends the first process of the PID namespace: the kernel then ends all others in it, however they detached themselves,
 * and bubblewrap, which waits for it, ends last. So when bubblewrap has ended nothing is left.
 */
function killAll({ child, first, timers }: Killing): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  // Its number could already belong to somebody else; then its parent is another.
  if (parentOf(first) === child.pid) process.kill(first, "SIGKILL");
  timers.after(SECOND_KILL_MS, () => void child.kill("SIGKILL"));
}

function waitFor(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    child.once("error", (cause) => resolve(cause.message));
    child.once("close", () => resolve(null));
  });
}

/** Null when the program never started: bubblewrap ended without saying how the program did. */
function endOf(child: ChildProcess, exitCode: number | null): SandboxRun["end"] | null {
  if (child.signalCode !== null) return { kind: "signal", signal: child.signalCode };
  // Somebody else ended the first process; bubblewrap could not say more.
  const code = exitCode ?? ((child.exitCode ?? 0) > 128 ? child.exitCode : null);
  if (code === null) return null;
  return endOfCode(code);
}

/** Open files that whoever started Silas left open for all its descendants, and something harmless to put over them. */
export type Inherited = { readonly numbers: readonly number[]; readonly nothing: number };

const O_CLOEXEC = 0o2_000_000;

/** Node opens everything for itself alone; what is open for descendants was there before it. */
export function findInherited(): Inherited {
  const numbers = readdirSync("/proc/self/fd")
    .map(Number)
    .filter((number) => number > 2 && isForDescendants(number));
  return { numbers, nothing: openSync("/dev/null", "r") };
}

/** The same list, with nothing in every place where a program would otherwise find a file of somebody else. */
function covering(list: readonly ("ignore" | "pipe" | number)[], { numbers, nothing }: Inherited): StdioOptions {
  const last = Math.max(list.length - 1, ...numbers);
  return Array.from({ length: last + 1 }, (_, at) => list[at] ?? (numbers.includes(at) ? nothing : "ignore"));
}

function isForDescendants(number: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false;
  }
}
