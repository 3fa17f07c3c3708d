import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { JournalRequest } from "../src/core/model/index.ts";
import { coalesce } from "../src/core/journal/index.ts";
import type { JournalDoor } from "../src/shell/ports.ts";
import {
  createChangeFeed,
  createJournalDoor,
  systemClock,
  systemRandomness,
  systemTimers,
} from "../src/shell/runtime/index.ts";
import { makeJournal, openJournalAt } from "./journals.ts";
import { quantile, type Contender, type Goal, type Line } from "./measure.ts";
import { makeDir, whenMeasured } from "./places.ts";
import { bareCommand, productCommand, send, signIn, startServer } from "./processes.ts";

const SMALL = 1_000;
const LARGE = 100_000;
const WRITES = 100;
const FACTOR: Goal = { against: "limit", compare: "cost_at_most", factor: 1.5 };

/** From a captured task to its answer, which comes only when it is on the disk. */
export async function lines(): Promise<readonly Line[]> {
  const small = await makeJournal(SMALL);
  const large = await makeJournal(LARGE);
  const captures = {
    small: captureThrough(await openDoor(small)),
    large: captureThrough(await openDoor(large)),
    raw: plainWrites(join(await makeJournal(SMALL), "db.sqlite")),
    http: await captureOverHttp(),
    bare: await plainOverHttp(),
  };
  const growth: Goal = { against: "limit", compare: "cost_at_most", factor: 1.15 };
  return [
    line("capture to disk, p50", { product: wall(captures.small), limit: wall(captures.raw), goals: [FACTOR] }),
    line("capture, CPU time", { product: cpu(captures.small), limit: cpu(captures.raw), goals: [], unit: "cpu us" }),
    line("capture over HTTP to disk, p50", { product: wall(captures.http), limit: wall(captures.bare), goals: [] }),
    line("growth: 100k records against 1k", {
      product: wall(captures.large),
      limit: wall(captures.small),
      goals: [growth],
    }),
    line("growth: 100k against 1k, CPU time", {
      product: cpu(captures.large),
      limit: cpu(captures.small),
      goals: [growth],
      unit: "cpu us",
    }),
  ];
}

type Capture = () => Promise<void> | void;
type Sides = Pick<Line, "product" | "limit" | "goals"> & { readonly unit?: string };

function line(what: string, { product, limit, goals, unit = "ms" }: Sides): Line {
  return { what, unit, product, limit, peer: null, goals, rounds: 5 };
}

function wall(capture: Capture): Contender {
  return async () => {
    const taken: number[] = [];
    for (let n = 0; n < WRITES; n += 1) {
      const startedMs = performance.now();
      await capture();
      taken.push(performance.now() - startedMs);
    }
    return quantile(taken, 0.5);
  };
}

function cpu(capture: Capture): Contender {
  return async () => {
    const start = process.cpuUsage();
    for (let n = 0; n < WRITES; n += 1) await capture();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / WRITES;
  };
}

let captured = 0;

function nextRequest(): JournalRequest {
  captured += 1;
  const command = { kind: "task.create", title: `Call Ana about the invoice ${captured}`, dueDate: "2026-11-16" };
  return { operationId: randomUUID(), command } as JournalRequest;
}

async function openDoor(dataDir: string): Promise<JournalDoor> {
  const { journal, close } = await openJournalAt(dataDir);
  whenMeasured(close);
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const feed = createChangeFeed({ timers: systemTimers, log, coalesce });
  return createJournalDoor({ store: journal, feed, clock: systemClock, randomness: systemRandomness });
}

function captureThrough(door: JournalDoor): Capture {
  return async () => {
    const outcome = await door.submit(nextRequest());
    if (!outcome.ok) throw new Error(`the capture answered ${outcome.error.code}`);
  };
}

/**
 * The same rows in the same tables with prepared statements and nothing decided: one record with its indexes and its
 * search entry, one line of the sequence log, one operation, one counter.
 */
function plainWrites(file: string): Capture {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  whenMeasured(() => db.close());
  const [record, search, sequence, operation] = [
    `INSERT INTO records (id, kind, body, created_at, updated_at, deleted_at, revision, host_id, counter, vector_clock)
     VALUES (?, 'task', ?, ?, ?, NULL, 1, ?, ?, ?)`,
    `INSERT INTO search (rowid, search_kind, search_title, search_text)
     SELECT seq, search_kind, search_title, search_text FROM records WHERE id = ?`,
    `INSERT INTO sequence_log (host_id, counter, payload_type, payload_id, kind, at)
     VALUES (?, ?, 'journalEntity', ?, 'task', ?)`,
    `INSERT INTO operations (operation_id, command_digest, command, at, subject_id, before_images, revisions)
     VALUES (?, ?, ?, ?, ?, '[]', ?)`,
  ].map((sql) => db.prepare(sql));
  const counting = db.prepare("UPDATE host SET counter = counter + 1");
  const host = "bench-plain-host";
  const at = "2026-11-15T10:00:00.000Z";
  const digest = "0".repeat(64);
  let counter = 0;
  return () => {
    counter += 1;
    const id = randomUUID();
    const { operationId, command } = nextRequest();
    db.exec("BEGIN IMMEDIATE");
    counting.run();
    record?.run(id, bodyOf(counter), at, at, host, counter, JSON.stringify({ [host]: counter }));
    search?.run(id);
    sequence?.run(host, counter, id, at);
    operation?.run(operationId, digest, JSON.stringify(command), at, id, JSON.stringify([[id, 1]]));
    db.exec("COMMIT");
  };
}

function bodyOf(n: number): string {
  return JSON.stringify({
    categoryId: null,
    title: `Call Ana about the invoice ${n}`,
    notes: "",
    status: "OPEN",
    priority: null,
    dueDate: "2026-11-16",
    dueTime: null,
    estimateMinutes: null,
    language: null,
    labelIds: [],
    sourceTaskId: null,
    repeat: null,
    order: `b${String(n).padStart(7, "0")}V`,
    concludedAt: null,
    archivedAt: null,
  });
}

async function captureOverHttp(): Promise<Capture> {
  const server = await startServer(productCommand(makeDir()));
  whenMeasured(server.stop);
  const token = await signIn(server);
  return postingTo({ port: server.port, path: "/api/journal/command", token });
}

async function plainOverHttp(): Promise<Capture> {
  const server = await startServer(bareCommand(join(makeDir(), "bare.sqlite")));
  whenMeasured(server.stop);
  return postingTo({ port: server.port, path: "/write" });
}

function postingTo(place: { readonly port: number; readonly path: string; readonly token?: string }): Capture {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  whenMeasured(() => agent.destroy());
  return async () => {
    const answer = await send({ ...place, agent, body: nextRequest() });
    if (answer.status !== 200) throw new Error(`the server answered ${answer.status} ${answer.text}`);
  };
}
