import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { assert } from "#base";
import type { SecretRef } from "#model";
import type { Sandboxes } from "#ports";
import { isProven, verifyReceipt } from "#policy";
import { receiptTools, systemClock, systemRandomness, systemTimers } from "#runtime";
import { createSandboxes } from "#sandbox";
import { createMemoryVault } from "#stores";
import { openTrust, RUNTIME_FILE } from "./approval-world.ts";
import { checkIntegrity } from "./disk.ts";
import { checkBatch, moveFiles, takeBack } from "./kill-batches.ts";
import { QUICKLY } from "./kill-run.ts";
import { createSeeded } from "./seeded.ts";
import { closeWork, grantPlan, openWork, settleAll, type Working } from "./work-world.ts";

type RunKills = {
  readonly kills: number;
  readonly runs: number;
  readonly inDoubt: number;
  readonly effects: number;
  /** Batches that were taken back. */
  readonly undone: number;
};

/** Time passes between two lives. */
const CLOCK = { ...systemClock, moveMs: () => {} };
const STATEMENTS_MAX = 120;
const AT_ONCE = 2;
const STEPS = ["one", "two"] as const;

/** Each step leaves a line in a place outside: what is done twice stands there twice. */
function planText({ name, place }: { readonly name: string; readonly place: string }): string {
  const steps = STEPS.map((step) => `  - { name: ${step}, run: sh -c "echo ${name}:${step} >> ${place}/log" }`);
  return `---
id: ${name}
type: task
title: Leave a line
budget: { max_attempts: 2 }
files: { write: [${place}] }
steps:
${steps.join("\n")}
verify:
  - name: both lines are there
    run: grep -c ${name} ${place}/log
    expect: { output_gt: 1 }
---

# What to do

Leave two lines.
`;
}

/**
 * Kills a Silas that approves and runs plans, moves files in batches and takes them back, in real sandboxes, again and again,
 * and starts it anew. Then everything that was approved has ended or is in doubt, in sight, with nothing done twice and no
 * file lost; receipts and chain hold. [WSTORE-06]
 */
export async function killRuns({ seed, kills }: { readonly seed: number; readonly kills: number }): Promise<RunKills> {
  const root = mkdtempSync("/var/tmp/silas-kill-");
  const seeded = createSeeded(seed);
  try {
    mkdirSync(join(root, "place"));
    await makeKey(root);
    for (let round = 0; round < kills; round += 1) {
      await liveUntilKilled({ root, seed: seed * 10_000 + round, after: 1 + seeded.below(STATEMENTS_MAX) });
    }
    return { kills, ...(await checkAll(root)) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

type Life = { readonly root: string; readonly seed: number; readonly after: number };

async function liveUntilKilled({ root, seed, after }: Life): Promise<void> {
  const script = fileURLToPath(new URL("work-kill-child.ts", import.meta.url));
  const child = spawn(process.execPath, [...QUICKLY, script, root, String(seed)], {
    stdio: ["ignore", "pipe", "inherit"],
    // Every life after the first finds its code compiled.
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, "compiled") },
  });
  const ended = once(child, "exit");
  let said = 0;
  createInterface({ input: child.stdout }).on("line", () => {
    said += 1;
    if (said === after) child.kill("SIGKILL");
  });
  await ended;
  assert(child.signalCode === "SIGKILL", "the process was killed and did not end by itself");
}

type Living = { readonly root: string; readonly seed: number; readonly say: (line: string) => void };

/** What the killed process does: takes up what was left, and approves more as soon as something has ended. */
export async function runWithoutPause({ root, seed, say }: Living): Promise<never> {
  const onStatement = (sql: string): void => {
    if (!sql.trimStart().startsWith("SELECT")) say("wrote");
  };
  const working = await openLife({ root, seed, onStatement });
  flushCompileCache();
  await working.work.start();
  const running = new Set<Promise<void>>();
  for (let number = 0; ; number += 1) {
    const run = carryOut(working, { root, seed, number }).finally(() => running.delete(run));
    running.add(run);
    if (running.size >= AT_ONCE) await Promise.race(running);
  }
}

type Piece = Omit<Living, "say"> & { readonly number: number };

/** In turns: what was moved before is taken back, a batch is moved, a plan is run. */
async function carryOut(working: Working, { root, seed, number }: Piece): Promise<void> {
  if (number % 3 === 0) return takeBack(working);
  if (number % 3 === 1) return moveFiles(working, { root, name: `batch-${seed}-${number}`, at: CLOCK.now() });
  const text = planText({ name: `task-${seed}-${number}`, place: join(root, "place") });
  return working.work.runGranted(await grantPlan(working, text));
}

type Opening = Omit<Living, "say"> & { readonly onStatement?: (sql: string) => void };

async function openLife({ root, seed, ...watched }: Opening): Promise<Working> {
  const world = { root, seeded: createSeeded(seed), clock: CLOCK };
  const vault = createMemoryVault();
  // Vaults have their own crash tests; this one outlives every kill.
  for (const [ref, secret] of keptSecrets(root)) await vault.put(ref, Buffer.from(secret, "hex"));
  return openWork(world, { dataDir: join(root, "data"), vault, sandboxes: openSandboxes(root), ...watched });
}

type KeptSecrets = readonly (readonly [SecretRef, string])[];
const secretsFile = (root: string): string => join(root, "secrets");
const keptSecrets = (root: string): KeptSecrets => JSON.parse(readFileSync(secretsFile(root), "utf8")) as KeptSecrets;

/** The owner's key, made once and kept where every life finds it. */
async function makeKey(root: string): Promise<void> {
  const world = { root, seeded: createSeeded(0), clock: CLOCK };
  const vault = createMemoryVault();
  const { stores } = await openTrust(world, { dataDir: join(root, "data"), vault });
  const refs = await vault.list();
  assert(refs.ok, "there is a key");
  const secrets: (readonly [SecretRef, string])[] = [];
  for (const ref of refs.value) {
    const secret = await vault.get(ref);
    assert(secret.ok, "the key is kept");
    secrets.push([ref, Buffer.from(secret.value).toString("hex")]);
  }
  writeFileSync(secretsFile(root), JSON.stringify(secrets));
  stores.close();
}

export function openSandboxes(root: string): Sandboxes {
  const { platform, arch, execPath: node } = process;
  return createSandboxes({
    settings: { backend: "subprocess", workDir: join(root, "work") },
    own: [],
    host: { platform, arch, searchPath: "/usr/local/bin:/usr/bin:/bin", node },
    randomness: systemRandomness,
    timers: systemTimers,
  });
}

type Seen = Omit<RunKills, "kills">;

async function checkAll(root: string): Promise<Seen> {
  const working = await openLife({ root, seed: 0 });
  await settleAll(working);
  const requests = await working.trust.approvals.all();
  assert(requests.ok, "requests can be read");
  const lines = linesIn(join(root, "place", "log"));
  const seen = { runs: 0, inDoubt: 0, effects: lines.length, undone: 0 };
  for (const request of requests.value) {
    const { requestId, workItemId, state } = request;
    if (request.kind === "batch_review") {
      const { runs, inDoubt, undone } = await checkBatch(working, { root, request });
      seen.runs += runs;
      seen.inDoubt += inDoubt;
      seen.undone += undone;
      continue;
    }
    const times = STEPS.map((step) => lines.filter((line) => line === `${workItemId}:${step}`).length);
    assert(
      times.every((count) => count <= 1),
      `T10 nothing is done twice: ${workItemId} ${times.join(", ")}`,
    );
    if (state !== "approved") {
      assert(
        times.every((count) => count === 0),
        `INV-01 nothing runs that was not approved: ${workItemId}`,
      );
      continue;
    }
    const { status } = await checkRun(working, { requestId, times });
    seen.runs += 1;
    if (status === "in_doubt") seen.inDoubt += 1;
  }
  const verdict = await working.trust.stores.audit.verify("genesis");
  assert(verdict.ok && verdict.value.valid, "AUD-02 the chain holds");
  await closeWork(working);
  checkIntegrity(join(root, "data", RUNTIME_FILE));
  return seen;
}

type Checked = { readonly requestId: string; readonly times: readonly number[] };

/** Every approval has one run, which has ended; one that is done did everything once, one in doubt says why. */
async function checkRun({ trust, work }: Working, { requestId, times }: Checked) {
  const executions = await trust.stores.work.executions(requestId);
  assert(executions.ok && executions.value.length === 1, `an approval has one run that ended: ${requestId}`);
  const [{ record } = { record: "" }] = executions.value;
  const { run } = JSON.parse(record) as { readonly run: { readonly run_id: string } };
  const shown = await work.show(run.run_id);
  assert(shown.ok && shown.value.run.endedAt !== null, "it is in sight");
  const { status, isVerified, lastError } = shown.value.run;
  assert(status === "done" || status === "in_doubt", `it ends or is in doubt: ${status} ${lastError}`);
  if (status === "done") assert(isVerified && times.every((count) => count === 1), "done means done once");
  else assert(lastError !== null, "what is in doubt says why");
  const receipt = await trust.approvals.receipt(requestId);
  assert(receipt.ok && isProven(verifyReceipt(receipt.value, receiptTools)), "APPR-05 its receipt proves itself");
  return { status };
}

function linesIn(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}
