import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { err, ok, type Result } from "#base";
import type { SandboxRefusal, SandboxRun } from "#model";
import type { Timers } from "#ports";
import type { Launched, RunOrder } from "../ground.ts";
import { endOfCode, notStarted, untilGone } from "../output.ts";
import { parentOf } from "../process-tree.ts";
import { watchRun } from "../watch.ts";
import type { Creation } from "./container-order.ts";
import { fieldOf, type EngineFault } from "./engine-client.ts";
import type { Engine } from "./find-engine.ts";
import { hear, type Heard } from "./hear.ts";

type ContainerLaunch = Pick<RunOrder, "config" | "workspace" | "timeoutMs" | "onLine"> & {
  readonly engine: Engine;
  readonly creation: Creation;
  /** Seen in the arguments of the first process, so that its number is known to be of this machine. */
  readonly name: string;
  /** What the starter says when the program is about to begin. */
  readonly word: string;
  /** What the starter is told, and what the program reads. */
  readonly input: Buffer;
  readonly timers: Timers;
};

/** The shell that is the first process, and the starter. */
const OWN_PROCESSES = 2;
/** From the start of the container to the starter's word. */
const BEGIN_WAIT_MS = 60_000;

export function launchContainer(order: ContainerLaunch): Launched {
  const run: Run = {
    order,
    startedMs: performance.now(),
    cause: null,
    hasBegun: false,
    kill: () => {},
    rest: () => {},
  };
  return { ended: carryOut(run), kill: () => endRun(run, { kind: "signal", signal: "SIGKILL" }) };
}

type Run = {
  readonly order: ContainerLaunch;
  readonly startedMs: number;
  /** Why it was ended, if it did not end by itself. */
  cause: SandboxRun["end"] | null;
  /** Whether the program did, and not only its container. */
  hasBegun: boolean;
  kill: () => void;
  /** Stops the timer that is set. */
  rest: () => void;
};

function endRun(run: Run, why: SandboxRun["end"]): void {
  run.cause ??= why;
  run.kill();
}

function limitTime(run: Run, delayMs: number): void {
  run.rest();
  run.rest = run.order.timers.after(delayMs, () => endRun(run, { kind: "timeout" }));
}

async function carryOut(run: Run): Promise<Result<SandboxRun, SandboxRefusal>> {
  const { engine, creation } = run.order;
  const created = await engine.call({ method: "POST", ...creation });
  if (!created.ok) return notStarted(created.error.detail);
  const id = String(fieldOf(created.value, "Id"));
  try {
    const pipe = await engine.attach(id);
    if (!pipe.ok) return notStarted(pipe.error.detail);
    return await runAttached(run, { id, pipe: pipe.value });
  } finally {
    run.rest();
    await removeContainer(engine, id);
  }
}

export const removeContainer = (engine: Engine, id: string): Promise<Result<unknown, EngineFault>> =>
  engine.call({ method: "DELETE", path: `/containers/${id}?force=true&v=true` });

type Attached = { readonly id: string; readonly pipe: Duplex };

async function runAttached(run: Run, { id, pipe }: Attached): Promise<Result<SandboxRun, SandboxRefusal>> {
  const { engine, config, timeoutMs, onLine, word, input } = run.order;
  const onBegun = (): void => {
    run.hasBegun = true;
    limitTime(run, timeoutMs);
  };
  const onFlood = () => endRun(run, { kind: "limit", which: "output" });
  const heard = hear({ pipe, word, limits: config.limits, onLine, onBegun, onFlood });
  if (run.cause !== null) return ok(told(run, { heard, end: run.cause }));
  const started = await engine.call({ method: "POST", path: `/containers/${id}/start` });
  if (!started.ok) return notStarted(started.error.detail);
  run.kill = () => void engine.call({ method: "POST", path: `/containers/${id}/kill?signal=KILL` });
  if (run.cause !== null) run.kill();
  run.rest = run.order.timers.after(BEGIN_WAIT_MS, run.kill);
  const first = await firstProcess(run.order, id);
  if (!first.ok && run.cause === null) return notStarted(first.error);
  pipe.write(input);
  return untilEnd(run, { id, heard, first: first.ok ? first.value : null });
}

type Running = { readonly id: string; readonly heard: Heard; readonly first: number | null };

async function untilEnd(run: Run, { id, heard, first }: Running): Promise<Result<SandboxRun, SandboxRefusal>> {
  const { order } = run;
  const watch = watchRun({
    ...order,
    limits: order.config.limits,
    // Before the program has begun, everything in the container is its surroundings.
    first: () => (run.hasBegun ? first : null),
    ownProcesses: OWN_PROCESSES,
    onOver: (which) => endRun(run, { kind: "limit", which }),
  });
  const waited = await waitFor(order, { id, heard, first });
  // An engine that is gone has no say any more; the first process ends all others.
  if (!waited.ok && first !== null && argumentsOf(first).includes(order.name)) endProcess(first);
  await untilGone(first);
  watch.stop();
  run.rest();
  await heard.closed(order.timers);
  if (!run.hasBegun && run.cause === null) return notStarted(heard.end().before || "nothing began in the container");
  const own = run.cause ?? (await ownEnd(run.order.engine, { id, code: waited.ok ? codeOf(waited.value) : null }));
  return ok(told(run, { heard, end: (await watch.isOverfull()) ? { kind: "limit", which: "files" } : own }));
}

const OVER_LOOK_MS = 250;

/**
 * Asks the engine how it ended, and only when it is about to have ended: a Podman that is asked to wait does so by looking
 * all the time, which takes a whole processor. All output ends with the container; should it not, its process does.
 */
async function waitFor(
  { engine, name }: ContainerLaunch,
  { id, heard, first }: Running,
): Promise<Result<unknown, EngineFault>> {
  if (first !== null) await Promise.race([heard.over, untilEnded(first, name)]);
  return engine.call({ method: "POST", path: `/containers/${id}/wait?interval=5ms` });
}

async function untilEnded(pid: number, name: string): Promise<void> {
  while (argumentsOf(pid).includes(name)) await delay(OVER_LOOK_MS);
}

type Ending = { readonly heard: Heard; readonly end: SandboxRun["end"] };

function told({ startedMs }: Run, { heard, end }: Ending): SandboxRun {
  const { stdout, stderr } = heard.end();
  return { end, stdout, stderr, durationMs: performance.now() - startedMs };
}

const LOOK_EVERY_MS = 2;
const LOOKS_MAX = 5000;

/**
 * The number of the first process, which must be one of this machine: everything is watched by it. Right after the start
 * it may still be the engine's own, and becomes the starter's shell in a moment; that one waits to be told what to do.
 */
async function firstProcess({ engine, name }: ContainerLaunch, id: string): Promise<Result<number, string>> {
  const seen = await engine.call({ method: "GET", path: `/containers/${id}/json` });
  if (!seen.ok) return err(seen.error.detail);
  const pid = fieldOf(seen.value, "State", "Pid");
  if (typeof pid !== "number" || pid <= 0) return err("the container ended before it could be looked at");
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    if (argumentsOf(pid).includes(name)) return ok(pid);
    if (parentOf(pid) === null) return err("its processes are not of this machine, or ended at once");
    await delay(LOOK_EVERY_MS);
  }
  return err("its processes are not of this machine");
}

function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone, or somebody else's by now, who does not let us.
  }
}

const codeOf = (waited: unknown): number | null => {
  const code = fieldOf(waited, "StatusCode");
  return typeof code === "number" ? code : null;
};

type Exit = { readonly id: string; readonly code: number | null };

async function ownEnd(engine: Engine, { id, code }: Exit): Promise<SandboxRun["end"]> {
  if (code === null) return { kind: "signal", signal: "SIGKILL" };
  const seen = await engine.call({ method: "GET", path: `/containers/${id}/json` });
  const isOver = seen.ok && fieldOf(seen.value, "State", "OOMKilled") === true;
  return isOver ? { kind: "limit", which: "memory" } : endOfCode(code);
}
