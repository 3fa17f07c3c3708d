import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { assert, sha256Hex, type Instant } from "#base";
import type { StoredToken } from "#model";
import type { Spending } from "#ports";
import { createMemoryVault } from "#stores";
import { BY, countRows, openTrust } from "./approval-world.ts";
import { inWorld } from "./disk-run.ts";
import { QUICKLY } from "./kill-run.ts";
import { createSeeded, createVirtualClock } from "./seeded.ts";

export const TRIALS = 20;
const PROCESSES = 2;
const TRIES_PER_PROCESS = 10;

type Spent = { readonly successes: readonly number[] };

/** Two processes use the same approvals on the same file at once, twenty times each time; answers how often it worked. */
export function spendFromProcesses(seed: number): Promise<Spent> {
  return inWorld(seed, async (world) => {
    const dataDir = join(world.root, "data");
    const trust = await openTrust(world, { dataDir, vault: createMemoryVault() });
    const keys = await trust.stores.keys.list();
    trust.stores.close();
    const keyId = keys.ok ? keys.value[0]?.keyId : undefined;
    assert(keyId !== undefined, "there is a key");
    const children = Array.from({ length: PROCESSES }, (_, index) => startChild([dataDir, keyId, String(index)]));
    await Promise.all(children.map(({ ready }) => ready));
    for (const { go } of children) go();
    const lines = (await Promise.all(children.map(({ ended }) => ended))).flat();
    const successes = Array.from(
      { length: TRIALS },
      (_, trial) => lines.filter((line) => line === `used ${trial}`).length,
    );
    assert(countRows(dataDir).uses === lines.length - PROCESSES, "NONCE-07 each success is one row");
    return { successes };
  });
}

function startChild(args: readonly string[]) {
  const script = fileURLToPath(new URL("approval-child.ts", import.meta.url));
  const child = spawn(process.execPath, [...QUICKLY, script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines: string[] = [];
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  const read = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      isReady();
    }
    await exited;
    assert(child.exitCode === 0, "the process ends by itself");
    return lines;
  })();
  return { ready, ended: read, go: () => child.stdin.end("go\n") };
}

type SpendingChild = {
  readonly dataDir: string;
  readonly keyId: string;
  readonly name: string;
  readonly go: () => Promise<unknown>;
  readonly say: (line: string) => void;
};

/** What each process does: every approval as often as it can. */
export async function spendAll({ dataDir, keyId, name, go, say }: SpendingChild): Promise<void> {
  const world = { root: dataDir, seeded: createSeeded(1), clock: createVirtualClock(1_794_729_600_000) };
  const { stores } = await openTrust(world, { dataDir, vault: createMemoryVault() });
  say("ready");
  await go();
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const tries = Array.from({ length: TRIES_PER_PROCESS }, (_, index) =>
      stores.approvals.spend(
        spendingOf({ trial, keyId, attemptLineage: `attempt-${trial}-${name}-${index}`, at: world.clock.now() }),
      ),
    );
    for (const { ok } of await Promise.all(tries)) if (ok) say(`used ${trial}`);
  }
  stores.close();
}

type Use = {
  readonly trial: number;
  readonly keyId: string;
  readonly attemptLineage: string;
  readonly at: Instant;
};

function spendingOf({ trial, keyId, attemptLineage, at }: Use): Spending {
  const planHash = sha256Hex(`plan ${trial}`);
  const token: StoredToken = {
    tokenId: `tok_${trial}`,
    nonce: sha256Hex(`nonce ${trial}`),
    planHash,
    keyId: keyId as StoredToken["keyId"],
    maxExecutions: 1,
    text: `{"token_id":"tok_${trial}"}`,
  };
  const use = { workItemId: "task-sim", contentHash: planHash, attemptLineage };
  return { token, ...use, friction: ["tap"], at, actor: BY, judged: null, also: [] };
}
