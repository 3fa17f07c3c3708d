import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { assert, instantFromMs, sha256Hex, type Instant } from "#base";
import type { Queue } from "#engine";
import { userMessageOf, type RecordId } from "#model";
import { createAuditRules } from "#policy";
import { openRuntime } from "#stores";
import { inWorld } from "../disk-run.ts";
import { QUICKLY } from "../kill-run.ts";
import { QUEUE_STATES } from "./queue-states.ts";
import { createSeeded, type Seeded } from "../seeded.ts";
import { EFFECTS_TABLE } from "./terms.ts";

type WorkerKills = {
  readonly kills: number;
  /** Kills after which the database still had the message leased to the killed worker. */
  readonly betweenLeaseAndSettle: number;
  readonly messages: number;
  readonly lost: number;
  readonly twice: number;
};

const WORKERS = ["worker-1", "worker-2"] as const;
const SCOPES = 8;
const MESSAGES_BEFORE = 20;
const KILLED_ONE_IN = 4;
const DELAY_MS_BELOW = 4;
const LOOK_EVERY_MS = 10;

type Scene = {
  readonly dataDir: string;
  readonly queue: Queue;
  readonly file: DatabaseSync;
  readonly killsMax: number;
  readonly sent: string[];
  kills: number;
  between: number;
  isOver: boolean;
};

/**
 * Two processes read one queue and are killed again and again, half of the times between lease and settle. Each message has
 * exactly one effect, which is written in the commit that settles it. [BUS-10]
 */
export function killWorkers({ seed, kills }: { readonly seed: number; readonly kills: number }): Promise<WorkerKills> {
  return inWorld(seed, async ({ root, seeded }) => {
    const dataDir = join(root, "data");
    const auditRules = createAuditRules(sha256Hex);
    const opened = await openRuntime({ dataDir, clock: { now }, random: seeded, auditRules });
    assert(opened.ok, "the runtime opens");
    const file = new DatabaseSync(join(dataDir, "silas.db"));
    file.exec(EFFECTS_TABLE);
    const { queue, close } = opened.value;
    const scene: Scene = { dataDir, queue, file, killsMax: kills, sent: [], kills: 0, between: 0, isOver: false };
    try {
      for (let count = 0; count < MESSAGES_BEFORE; count += 1) await sendOne(scene);
      const working = WORKERS.map((name, index) => live(scene, { name, seeded: createSeeded(seed * 2 + index) }));
      await Promise.race([Promise.all(working), untilHandled(scene)]);
      scene.isOver = true;
      await Promise.all(working);
      return { kills: scene.kills, betweenLeaseAndSettle: scene.between, ...countEffects(scene) };
    } finally {
      file.close();
      close();
    }
  });
}

async function untilHandled(scene: Scene): Promise<void> {
  const count = scene.file.prepare("SELECT count(*) AS count FROM queue");
  do await pause(LOOK_EVERY_MS);
  while (scene.kills < scene.killsMax || Number(count.get()?.["count"]) > 0);
}

async function sendOne({ queue, sent }: Scene): Promise<void> {
  const id = `message-${sent.length}`;
  const about = { messageId: id as RecordId, scopeId: `scope-${sent.length % SCOPES}` };
  sent.push(id);
  const added = await queue.enqueue({ ...userMessageOf({ ...about, taint: "owner", sources: [] }, now()), id }, now());
  assert(added.ok && added.value === "added", "a message is added");
}

function countEffects({ file, sent }: Scene): Pick<WorkerKills, "messages" | "lost" | "twice"> {
  const counts = new Map(
    file
      .prepare("SELECT message_id AS id, count(*) AS count FROM sim_effects GROUP BY message_id")
      .all()
      .map(({ id, count }) => [String(id), Number(count)]),
  );
  return {
    messages: sent.length,
    lost: sent.filter((id) => !counts.has(id)).length,
    twice: [...counts.values()].filter((count) => count > 1).length,
  };
}

type Worker = { readonly name: string; readonly seeded: Seeded };

/** One life after the other, until all messages are handled. */
async function live(scene: Scene, worker: Worker): Promise<void> {
  while (!scene.isOver) await liveOnce(scene, worker);
}

async function liveOnce(scene: Scene, { name, seeded }: Worker): Promise<void> {
  const script = fileURLToPath(new URL("worker-child.ts", import.meta.url));
  const child = spawn(process.execPath, [...QUICKLY, script, scene.dataDir, name], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: `${scene.dataDir}-compiled` },
  });
  const ended = once(child, "exit");
  // A killed process no longer reads what it is told.
  child.stdin.on("error", () => {});
  const ending = endWhenOver(scene, child);
  let isKilled = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const id = line.replace(/^held /, "");
    if (isKilled) continue;
    if (scene.kills < scene.killsMax) await sendOne(scene);
    isKilled = scene.kills < scene.killsMax && seeded.below(KILLED_ONE_IN) === 0;
    if (!isKilled) child.stdin.write(`${id}\n`);
    else {
      scene.kills += 1;
      await kill(child, { id, seeded });
      await ended;
      if (isHeld(scene, { id, name })) scene.between += 1;
    }
  }
  await ended;
  await ending;
  assert(scene.isOver || child.signalCode === "SIGKILL", `${name} was killed and did not end by itself`);
}

/** Half of them before the handler may go on, the others somewhere in what follows. */
async function kill(
  child: ChildProcess,
  { id, seeded }: { readonly id: string; readonly seeded: Seeded },
): Promise<void> {
  if (seeded.below(2) === 0) {
    child.stdin?.write(`${id}\n`);
    await pause(seeded.below(DELAY_MS_BELOW));
  }
  child.kill("SIGKILL");
}

const isHeld = ({ file }: Scene, { id, name }: { readonly id: string; readonly name: string }): boolean =>
  file.prepare(`SELECT 1 FROM ${QUEUE_STATES} WHERE message_id = ? AND holder = ?`).get(id, name) !== undefined;

async function endWhenOver(scene: Scene, child: ChildProcess): Promise<void> {
  while (!scene.isOver && child.exitCode === null && child.signalCode === null) await pause(LOOK_EVERY_MS);
  child.stdin?.end();
}

function now(): Instant {
  const at = instantFromMs(Date.now());
  assert(at.ok, "the clock stands within the calendar");
  return at.value;
}
