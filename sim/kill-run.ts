import { spawn } from "node:child_process";
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { assert } from "#base";
import type { OperationId } from "#model";
import { checkIntegrity } from "./disk.ts";
import { decideNext, inWorld, open } from "./disk-run.ts";
import { checkState, checkTrees, loadState } from "./journal-checks.ts";
import { createSeeded, createVirtualClock } from "./seeded.ts";

/** Options of Node for a process that runs files of Silas: how it finds them quickly. */
export const QUICKLY = ["--import", new URL("../src/cli/with-own-modules.ts", import.meta.url).href] as const;

type Kills = { readonly kills: number; readonly acknowledged: number };

/** Kills a writing process again and again: everything it acknowledged is there, and nothing is half there. */
export function killWhileWriting(options: { readonly seed: number; readonly kills: number }): Promise<Kills> {
  return inWorld(options.seed, async (world) => {
    const dataDir = join(world.root, "data");
    const acknowledged: string[] = [];
    for (let round = 0; round < options.kills; round += 1) {
      const lines = await runUntilKilled({
        dataDir,
        seed: options.seed * 1000 + round,
        // Killed when this many were acknowledged: the process is then somewhere in the next ones.
        after: 1 + world.seeded.below(12),
      });
      acknowledged.push(...lines);
      const store = await open(world, { dataDir });
      const state = await loadState(store);
      checkState(state, store.hostId);
      checkTrees(state);
      for (const id of lines) {
        const found = await store.answer({ kind: "operation", id: id as OperationId });
        assert(found.ok && found.value !== null, `JOURNAL-11 the acknowledged operation ${id} is kept`);
      }
      await store.close();
      checkIntegrity(join(dataDir, "db.sqlite"));
    }
    return { kills: options.kills, acknowledged: acknowledged.length };
  });
}

type Round = { readonly dataDir: string; readonly seed: number; readonly after: number };

async function runUntilKilled({ dataDir, seed, after }: Round): Promise<readonly string[]> {
  const script = fileURLToPath(new URL("kill-child.ts", import.meta.url));
  const child = spawn(process.execPath, [...QUICKLY, script, dataDir, String(seed)], {
    stdio: ["ignore", "pipe", "inherit"],
    // Every life after the first finds its code compiled.
    env: { ...process.env, NODE_COMPILE_CACHE: `${dataDir}-compiled` },
  });
  const ended = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === after) child.kill("SIGKILL");
  }
  await ended;
  assert(child.signalCode === "SIGKILL", "the process was killed and did not end by itself");
  return lines;
}

type Writing = {
  readonly dataDir: string;
  readonly seed: number;
  readonly acknowledge: (operationId: string) => void;
};

/** What the killed process does: random commands, each acknowledged only after its commit. */
export async function commitWithoutPause({ dataDir, seed, acknowledge }: Writing): Promise<never> {
  const world = { root: dataDir, seeded: createSeeded(seed), clock: createVirtualClock(1_794_729_600_000) };
  const store = await open(world, { dataDir });
  flushCompileCache();
  const applied: OperationId[] = [];
  for (;;) {
    const commit = await decideNext(world, { store, applied });
    const committed = await store.commit(commit);
    assert(committed.ok, "a commit succeeds until the process is killed");
    applied.push(commit.operationId);
    acknowledge(commit.operationId);
  }
}
