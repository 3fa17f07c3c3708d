import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { dispatchOf, queueMessageText } from "../src/core/model/index.ts";
import { createAuditRules } from "../src/core/policy/index.ts";
import type { QueueStore } from "../src/shell/ports.ts";
import { systemClock, systemRandomness, systemSha256 } from "../src/shell/runtime/index.ts";
import { openRuntime } from "../src/shell/stores/index.ts";
import type { Line } from "./measure.ts";
import { makeDir, whenMeasured } from "./places.ts";

const MESSAGES = 200;
const WAITING = 1_000;
const ROUNDS = 5;

/**
 * One message at a time through the queue, three commits that each wait for the disk: added, taken, settled. The limit
 * writes rows of the same size in three transactions of the same kind. What waits is in another scope and comes later, so
 * that the same messages are measured with nothing and with a thousand of them behind.
 */
export async function lines(): Promise<readonly Line[]> {
  const [empty, full] = [await openQueue(0), await openQueue(WAITING)];
  const bare = makeBare();
  return [
    {
      what: "a message: add, take, settle",
      unit: "ms/message",
      product: () => perMessage(() => pass(empty)),
      limit: () => perMessage(bare),
      peer: null,
      goals: [{ against: "limit", compare: "cost_at_most", factor: 1.3 }],
      rounds: ROUNDS,
    },
    {
      what: `a message, ${WAITING} waiting against none`,
      unit: "cpu ms/message",
      product: () => cpuPerMessage(() => pass(full)),
      limit: () => cpuPerMessage(() => pass(empty)),
      peer: null,
      goals: [{ against: "limit", compare: "cost_at_most", factor: 1.2 }],
      rounds: ROUNDS,
    },
  ];
}

let sent = 0;
const AT = systemClock.now();

function nextMessage(scopeId: string) {
  sent += 1;
  return { ...dispatchOf({ runId: `run-${sent}`, workItemId: "task", at: AT, actor: { kind: "terminal" } }), scopeId };
}

async function openQueue(waiting: number): Promise<QueueStore> {
  const dataDir = join(makeDir(), "data");
  const auditRules = createAuditRules(systemSha256);
  const opened = await openRuntime({ dataDir, clock: systemClock, random: systemRandomness, auditRules });
  if (!opened.ok) throw new Error(opened.error.code);
  whenMeasured(() => opened.value.close());
  const { queue } = opened.value;
  for (let count = 0; count < waiting; count += 1) {
    await queue.enqueue({ queue: "runtime_queue", message: nextMessage("others"), at: AT });
  }
  return queue;
}

async function pass(queue: QueueStore): Promise<void> {
  const at = systemClock.now();
  const message = nextMessage("owner");
  await queue.enqueue({ queue: "runtime_queue", message, at });
  const spans = { leaseMs: 60_000, deliveriesMax: 5, at };
  const leased = await queue.lease({ queue: "runtime_queue", consumer: "bench", countMax: 1, ...spans });
  const [lease] = leased.ok ? leased.value : [];
  if (lease === undefined) throw new Error("nothing was taken");
  const settled = await queue.settle({ lease, at, derived: [] });
  if (!settled.ok) throw new Error(settled.error.code);
}

function makeBare(): () => Promise<void> {
  const database = new DatabaseSync(join(makeDir(), "rows.db"));
  whenMeasured(() => database.close());
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, until TEXT, message TEXT NOT NULL) STRICT");
  database.exec("CREATE TABLE done (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID");
  const text = queueMessageText(nextMessage("owner"));
  const message = text.ok ? text.value : "";
  const insert = database.prepare("INSERT INTO rows (message) VALUES (?) RETURNING id");
  const take = database.prepare("UPDATE rows SET until = ? WHERE id = ?");
  const remove = database.prepare("DELETE FROM rows WHERE id = ?");
  const mark = database.prepare("INSERT INTO done (id) VALUES (?)");
  let marked = 0;
  return async () => {
    const id = Number(insert.get(message)?.["id"]);
    take.run(AT, id);
    database.exec("BEGIN IMMEDIATE");
    mark.run(`run_granted:run-${(marked += 1)}`);
    remove.run(id);
    database.exec("COMMIT");
  };
}

async function perMessage(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  for (let count = 0; count < MESSAGES; count += 1) await work();
  return (performance.now() - startedMs) / MESSAGES;
}

async function cpuPerMessage(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  for (let count = 0; count < MESSAGES; count += 1) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / MESSAGES;
}
