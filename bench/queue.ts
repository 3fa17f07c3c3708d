import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { decidedOf, orderKeyOf, queueMessageText } from "../src/core/model/index.ts";
import { createAuditRules } from "../src/core/policy/index.ts";
import type { Queue } from "../src/engine/index.ts";
import { systemClock, systemRandomness, systemSha256 } from "../src/shell/runtime/index.ts";
import { openRuntime } from "../src/shell/stores/index.ts";
import type { Line } from "./measure.ts";
import { importPeer } from "./peers.ts";
import { makeDir, whenMeasured } from "./places.ts";

const MESSAGES = 400;
const PRODUCERS = 64;
const TURNS = 200;
const FEW = 1_000;
const MANY = 1_000_000;
const ROUNDS = 5;

/**
 * A message is added, leased and settled. Alone, those are three commits that each wait for the disk; the limit writes rows
 * of the same size in three transactions. With 64 producers at once the commits are shared: 64 calls
 * add, one lease takes all of them, as a reader does, and 64 calls settle. The limit writes 64 rows in each of its three
 * transactions.
 */
export async function lines(): Promise<readonly Line[]> {
  const [empty, few, many] = [await openQueue(0), await openQueue(FEW), await openQueue(MANY)];
  const [alone, together, peer] = [openBare(1), openBare(PRODUCERS), await openPeer()];
  return [
    {
      what: "a message: add, lease, settle",
      unit: "ms/message",
      product: () => perMessage(() => pass(empty)),
      limit: () => perMessage(alone),
      peer: null,
      goals: [{ against: "limit", compare: "cost_at_most", factor: 1.3 }],
      rounds: ROUNDS,
    },
    {
      what: `a message, ${PRODUCERS} producers at once`,
      unit: "us/message",
      product: () => perGroupedMessage(() => passTogether(empty)),
      limit: () => perGroupedMessage(together),
      peer: () => perGroupedMessage(peer),
      goals: [
        { against: "limit", compare: "speed_at_least", factor: 0.6 },
        { against: "peer", compare: "speed_at_least", factor: 4 },
      ],
      rounds: ROUNDS,
    },
    {
      what: "a message, 1M queued against 1k",
      unit: "cpu ms/message",
      product: () => cpuPerMessage(() => pass(many)),
      limit: () => cpuPerMessage(() => pass(few)),
      peer: null,
      goals: [{ against: "limit", compare: "cost_at_most", factor: 1.2 }],
      rounds: ROUNDS,
    },
  ];
}

const AT = systemClock.now();
let sent = 0;
const nextMessage = () => messageOf(`run-${(sent += 1)}`);
const messageOf = (runId: string) =>
  decidedOf({
    requestId: "request",
    kind: "plan_approval",
    at: AT,
    actor: { kind: "terminal" },
    run: { runId, workItemId: "task" },
  });

async function openQueue(queued: number): Promise<Queue> {
  const dataDir = join(makeDir(), "data");
  const auditRules = createAuditRules(systemSha256);
  const opened = await openRuntime({ dataDir, clock: systemClock, random: systemRandomness, auditRules });
  if (!opened.ok) throw new Error(opened.error.code);
  whenMeasured(() => opened.value.close());
  if (queued > 0) fill(join(dataDir, "silas.db"), queued);
  return opened.value.queue;
}

/** Ready messages, each with an order key of its own. */
function fill(path: string, queued: number): void {
  const database = new DatabaseSync(path);
  const sample = messageOf("run-sample");
  const text = queueMessageText(sample);
  if (!text.ok) throw new Error(text.error.code);
  database
    .prepare(
      `WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < :queued)
       INSERT INTO queue (message_id, kind, order_key, ready_at, message)
       SELECT replace(:id, 'sample', 'q' || number), 'decided', replace(:key, 'sample', 'q' || number), :at,
         replace(:message, 'sample', 'q' || number) FROM numbers`,
    )
    .run({ queued, id: sample.id, key: orderKeyOf(sample), at: AT, message: text.value });
  database.exec("INSERT INTO sent_messages (message_id, position) SELECT message_id, position FROM queue");
  database.close();
}

async function pass(queue: Queue): Promise<void> {
  const at = systemClock.now();
  const added = await queue.enqueue(nextMessage(), at);
  if (!added.ok) throw new Error(added.error.code);
  const request = { kinds: ["decided"], holder: "bench", countMax: 1, leaseMs: 60_000, deliveriesMax: 5 } as const;
  const [lease] = await queue.lease({ ...request, at });
  if (lease === undefined) throw new Error("nothing was leased");
  const settled = await queue.settle({ lease, at });
  if (!settled.ok) throw new Error(settled.error.code);
}

async function passTogether(queue: Queue): Promise<void> {
  const at = systemClock.now();
  const added = await Promise.all(Array.from({ length: PRODUCERS }, () => queue.enqueue(nextMessage(), at)));
  const refused = added.find(({ ok }) => !ok);
  if (refused !== undefined) throw new Error("not added");
  const request = { kinds: ["decided"], holder: "bench", leaseMs: 60_000, deliveriesMax: 5 } as const;
  const leases = await queue.lease({ ...request, countMax: PRODUCERS, at });
  if (leases.length !== PRODUCERS) throw new Error(`leased ${leases.length}`);
  const settled = await Promise.all(leases.map((lease) => queue.settle({ lease, at })));
  if (settled.some(({ ok }) => !ok)) throw new Error("not settled");
}

/** The least that could count, for so many messages in each transaction. */
function openBare(size: number): () => Promise<void> {
  const database = new DatabaseSync(join(makeDir(), "rows.db"));
  whenMeasured(() => database.close());
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, until TEXT, message TEXT NOT NULL) STRICT");
  database.exec("CREATE TABLE done (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID");
  const text = queueMessageText(nextMessage());
  const message = text.ok ? text.value : "";
  const insert = database.prepare("INSERT INTO rows (message) VALUES (?) RETURNING id");
  const take = database.prepare("UPDATE rows SET until = ? WHERE id = ?");
  const mark = database.prepare("INSERT INTO done (id) VALUES (?)");
  const remove = database.prepare("DELETE FROM rows WHERE id = ?");
  let marked = 0;
  const commit = <T>(work: () => T): T => {
    database.exec("BEGIN IMMEDIATE");
    const answer = work();
    database.exec("COMMIT");
    return answer;
  };
  return async () => {
    const ids = commit(() => Array.from({ length: size }, () => Number(insert.get(message)?.["id"])));
    commit(() => {
      for (const id of ids) take.run(AT, id);
    });
    commit(() => {
      for (const id of ids) {
        mark.run(`decided:run-${(marked += 1)}`);
        remove.run(id);
      }
    });
  };
}

type Plainjob = {
  readonly defineQueue: (options: { readonly connection: object; readonly logger: object }) => {
    readonly add: (type: string, data: unknown) => unknown;
    readonly getAndMarkJobAsProcessing: (type: string) => { readonly id: number } | undefined;
    readonly getJobById: (id: number) => { readonly data: string } | undefined;
    readonly markJobAsDone: (id: number) => unknown;
    readonly close: () => void;
  };
};

const quiet = (): void => {};
const QUIET = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/**
 * plainjob on the same SQLite, with the calls of its own worker but without the look for scheduled jobs. It does not wait for
 * the disk at a commit, and does not know an id that it has handled.
 */
async function openPeer(): Promise<() => Promise<void>> {
  const { defineQueue } = await importPeer<Plainjob>("plainjob");
  const path = join(makeDir(), "jobs.db");
  const database = new DatabaseSync(path);
  const immediate = (work: () => unknown) => () => {
    database.exec("BEGIN IMMEDIATE");
    const answer = work();
    database.exec("COMMIT");
    return answer;
  };
  const queue = defineQueue({
    logger: QUIET,
    connection: {
      driver: "better-sqlite3",
      filename: path,
      pragma: (sql: string) => database.exec(`PRAGMA ${sql}`),
      transaction: (work: () => unknown) => Object.assign(immediate(work), { immediate: immediate(work) }),
      exec: (sql: string) => database.exec(sql),
      prepare: (sql: string) => database.prepare(sql),
      close: () => database.close(),
    },
  });
  whenMeasured(() => queue.close());
  const produce = async (): Promise<void> => {
    queue.add("run", nextMessage());
    const taken = queue.getAndMarkJobAsProcessing("run");
    const job = taken === undefined ? undefined : queue.getJobById(taken.id);
    if (taken === undefined || job === undefined) throw new Error("nothing was taken");
    JSON.parse(job.data);
    queue.markJobAsDone(taken.id);
  };
  return async () => {
    await Promise.all(Array.from({ length: PRODUCERS }, produce));
  };
}

async function wallMs(times: number, work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  for (let count = 0; count < times; count += 1) await work();
  return performance.now() - startedMs;
}

const perMessage = async (work: () => Promise<void>): Promise<number> => (await wallMs(MESSAGES, work)) / MESSAGES;

const perGroupedMessage = async (work: () => Promise<void>): Promise<number> =>
  ((await wallMs(TURNS, work)) * 1000) / (TURNS * PRODUCERS);

async function cpuPerMessage(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  for (let count = 0; count < MESSAGES; count += 1) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000 / MESSAGES;
}
