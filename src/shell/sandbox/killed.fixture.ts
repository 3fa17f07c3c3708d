import { randomBytes } from "node:crypto";
import { argv } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { SandboxConfig } from "#model";
import { createSpace } from "./space.ts";
import { layGround } from "./support.ts";

/**
 * Starts programs a moment apart and is killed: each of them is then at another point of its start. Called with the folder
 * for workspaces, that of bubblewrap, the argument of the programs, the milliseconds between two starts, and whether the
 * gate is answered meanwhile.
 */
const [, , workDir = "", searchPath = "", mark = "", apartMs = "", answers = ""] = argv;
const STARTS = 8;

const config: SandboxConfig = {
  readPaths: [],
  writePaths: [],
  env: {},
  workDir: null,
  network: "none",
  limits: { timeoutMs: 60_000, cpuSeconds: 60, memoryMb: 64, processes: 8, fileBytes: 1e6, outputBytes: 1e4 },
};
const randomness = { bytes: (count: number) => randomBytes(count) };
const timers = {
  after(delayMs: number, work: () => void) {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  },
};
const host = { platform: process.platform, arch: process.arch, searchPath, node: process.execPath };
const ground = await layGround({ host, workDir, randomness, timers });
if (!ground.ok) throw new Error(JSON.stringify(ground.error));
const space = await createSpace({ config, paths: [], ground: ground.value, egress: null, workDir, randomness });
if (!space.ok) throw new Error(JSON.stringify(space.error));
for (let start = 0; start < STARTS; start += 1) {
  void space.value.run({ argv: ["/usr/bin/sleep", mark] });
  // The launch itself comes a few turns later.
  await delay(0);
  if (answers === "yes") await delay(Number(apartMs));
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(apartMs));
}
process.kill(process.pid, "SIGKILL");
