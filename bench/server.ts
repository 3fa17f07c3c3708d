import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { fanOutLines } from "./fan-out.ts";
import { installedBytes } from "./install-size.ts";
import type { Line } from "./measure.ts";
import { makeDir, ROOT } from "./places.ts";
import {
  bareCommand,
  cpuMs,
  productCommand,
  settledRssMb,
  startServer,
  type Server,
  type ServerCommand,
} from "./processes.ts";

const START_ROUNDS = 7;

/** Path j: the real product from `start` to its first answer, against the shortest server with a database. */
export async function lines(): Promise<readonly Line[]> {
  const dir = makeDir();
  const home = join(dir, "home");
  const product = productCommand(home);
  const bare = bareCommand(join(dir, "bare.sqlite"));
  initialise(home);
  return [
    ...readyLines({ dir, product, bare }),
    {
      what: "memory when idle",
      unit: "MB RSS",
      product: () => once(product, ({ pid }) => settledRssMb(pid)),
      limit: () => once(bare, ({ pid }) => settledRssMb(pid)),
      peer: null,
      goals: [{ against: "limit", compare: "cost_at_most", factor: 1.6 }],
    },
    ...fanOutLines(),
    {
      what: "production install, Node not counted",
      unit: "MB",
      product: () => installedBytes() / 1e6,
      limit: null,
      peer: null,
      goals: [{ against: "figure", atMost: 120 }],
      rounds: 1,
    },
  ];
}

type Started = { readonly dir: string; readonly product: ServerCommand; readonly bare: ServerCommand };

function readyLines({ dir, product, bare }: Started): readonly Line[] {
  return [
    {
      what: "ready, from spawn to the first 200",
      unit: "ms",
      product: () => once(product, ({ readyMs }) => readyMs),
      limit: () => once(bare, ({ readyMs }) => readyMs),
      peer: null,
      goals: [{ against: "limit", compare: "cost_at_most", factor: 2 }],
      rounds: START_ROUNDS,
    },
    {
      what: "ready, CPU time",
      unit: "cpu ms",
      product: () => once(product, ({ pid }) => cpuMs(pid)),
      limit: () => once(bare, ({ pid }) => cpuMs(pid)),
      peer: null,
      goals: [],
      rounds: START_ROUNDS,
    },
    {
      what: "ready, first start with all migrations",
      unit: "ms",
      product: () => once(productCommand(mkdtempSync(join(dir, "first-"))), ({ readyMs }) => readyMs),
      limit: () => once(bareCommand(join(mkdtempSync(join(dir, "bare-")), "db")), ({ readyMs }) => readyMs),
      peer: null,
      goals: [],
    },
    {
      what: "ready, nothing compiled before",
      unit: "ms",
      product: () => once(withoutCompileCache(product), ({ readyMs }) => readyMs),
      limit: () => once(withoutCompileCache(bare), ({ readyMs }) => readyMs),
      peer: null,
      goals: [],
    },
  ];
}

async function once(command: ServerCommand, measure: (server: Server) => number | Promise<number>): Promise<number> {
  const server = await startServer(command);
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}

function withoutCompileCache(command: ServerCommand): ServerCommand {
  return { ...command, env: { ...command.env, NODE_DISABLE_COMPILE_CACHE: "1" } };
}

function initialise(home: string): void {
  const main = join(ROOT, "src", "main.ts");
  const result = spawnSync(process.execPath, [main, "init"], {
    env: { PATH: process.env["PATH"] ?? "", SILAS_HOME: home, HOME: home },
    encoding: "utf8",
  });
  if (result.status !== 0) throw new Error(`init failed: ${result.stderr}`);
}
