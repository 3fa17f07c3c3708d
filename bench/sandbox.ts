import { defaultSandboxConfig } from "../src/core/model/index.ts";
import type { Sandboxes, SandboxSpace } from "../src/shell/ports.ts";
import { systemRandomness, systemTimers } from "../src/shell/runtime/index.ts";
import { createSandboxes } from "../src/shell/sandbox/index.ts";
import { bareLaunch, launch } from "./bare-launch.ts";
import { quantile, type Line } from "./measure.ts";
import { makeDir, whenMeasured } from "./places.ts";

const LAUNCHES = 24;
const AT_ONCE = 4;
const ROUNDS = 7;
const PROGRAM = "/usr/bin/true";

/**
 * A launch against bubblewrap itself with the same namespaces and mounts but without limits, filter, watcher, user and
 * private files; the peer is the program without any sandbox. Cold is all there is to it: a new workspace, the launch,
 * and nothing left of it. The answer of the product waits until no process is left, that of the others does not.
 */
export async function lines(): Promise<readonly Line[]> {
  const sandboxes = await openSandboxes();
  const space = await openSpace(sandboxes);
  const bare = bareLaunch(makeDir(), PROGRAM);
  const inSpace = async () => mustEnd(await space.run({ argv: [PROGRAM] }));
  return [
    {
      what: "launch, cold",
      unit: "ms",
      product: () => oneByOne(() => coldLaunch(sandboxes)),
      limit: () => oneByOne(bare),
      peer: () => oneByOne(plain),
      goals: [{ against: "limit", compare: "cost_at_most", factor: 1.25 }],
      rounds: ROUNDS,
    },
    {
      what: "launch in an open space",
      unit: "ms",
      product: () => oneByOne(inSpace),
      limit: () => oneByOne(bare),
      peer: () => oneByOne(plain),
      goals: [{ against: "limit", compare: "cost_at_most", factor: 1.25 }],
      rounds: ROUNDS,
    },
    {
      what: `launches, ${AT_ONCE} in flight`,
      unit: "ms/launch",
      product: () => manyAtOnce(() => coldLaunch(sandboxes)),
      limit: () => manyAtOnce(bare),
      peer: () => manyAtOnce(plain),
      goals: [{ against: "limit", compare: "speed_at_least", factor: 0.8 }],
      rounds: ROUNDS,
    },
  ];
}

const plain = (): Promise<void> => launch(PROGRAM, []);

const CONFIG = defaultSandboxConfig({ memoryMb: 512, cpuSeconds: 60 });

async function openSandboxes(): Promise<Sandboxes> {
  const sandboxes = createSandboxes({
    settings: { backend: "subprocess", workDir: makeDir() },
    own: [],
    host: {
      platform: process.platform,
      arch: process.arch,
      searchPath: process.env["PATH"] ?? "",
      node: process.execPath,
    },
    randomness: systemRandomness,
    timers: systemTimers,
  });
  whenMeasured(() => sandboxes.close());
  const support = await sandboxes.support();
  if (support.state === "refused") throw new Error(`no sandbox here: ${support.reason} ${support.detail ?? ""}`);
  return sandboxes;
}

async function openSpace(sandboxes: Sandboxes): Promise<SandboxSpace> {
  const opened = await sandboxes.open(CONFIG);
  if (!opened.ok) throw new Error(opened.error.code);
  return opened.value;
}

async function coldLaunch(sandboxes: Sandboxes): Promise<void> {
  const space = await openSpace(sandboxes);
  mustEnd(await space.run({ argv: [PROGRAM] }));
  await space.close();
}

function mustEnd(ran: Awaited<ReturnType<SandboxSpace["run"]>>): void {
  if (!ran.ok || ran.value.end.kind !== "exit" || ran.value.end.code !== 0) throw new Error(JSON.stringify(ran));
}

async function oneByOne(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < LAUNCHES; count += 1) {
    const startedMs = performance.now();
    await work();
    times.push(performance.now() - startedMs);
  }
  return quantile(times, 0.5);
}

async function manyAtOnce(work: () => Promise<void>): Promise<number> {
  let left = LAUNCHES * 2;
  const startedMs = performance.now();
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (performance.now() - startedMs) / (LAUNCHES * 2);
}
