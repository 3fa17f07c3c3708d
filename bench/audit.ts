import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Instant } from "../src/core/base/index.ts";
import type { AuditDraft, AuditHead } from "../src/core/model/index.ts";
import { createAuditRules } from "../src/core/policy/index.ts";
import type { AuditLog } from "../src/shell/ports.ts";
import { systemClock, systemRandomness, systemSha256 } from "../src/shell/runtime/index.ts";
import { openRuntime } from "../src/shell/stores/index.ts";
import type { Line } from "./measure.ts";
import { importPeer } from "./peers.ts";
import { makeDir, whenMeasured } from "./places.ts";

const AT = "2026-11-15T09:00:00.000Z" as Instant;
const SMALL = 1_000;
const LARGE = 1_000_000;
const APPENDS = 12_800;
const AT_ONCE = 64;
const NEW = 1_000;

/**
 * The audit chain against what it is made of: appends against the same rows in a table without a chain (both waiting for
 * the disk at every commit of 64), and against hypercore, an append-only log signed as it grows; verifying against one
 * pass of SHA-256 over the same texts, which are in memory. History is a thousand entries against a million.
 */
export async function lines(): Promise<readonly Line[]> {
  const small = await makeChain(SMALL);
  const large = await makeChain(LARGE);
  const bare = makeBare();
  const hypercore = await makeHypercore();
  return [
    {
      what: `append, ${AT_ONCE} at once`,
      unit: "cpu us/entry",
      product: () => appendMany(small.audit),
      limit: () => bare.appendMany(),
      peer: () => hypercore.appendMany(),
      goals: [
        { against: "limit", compare: "speed_at_least", factor: 0.75 },
        { against: "peer", compare: "speed_at_least", factor: 10 },
      ],
      // A turn takes a tenth of a second, so that the median of three falls to either side of the goal by chance.
      rounds: 9,
    },
    {
      what: "append, 1,000,000 entries against 1,000",
      unit: "cpu us/entry",
      product: () => appendMany(large.audit),
      limit: () => appendMany(small.audit),
      peer: null,
      goals: [{ against: "limit", compare: "cost_at_most", factor: 1.2 }],
    },
    {
      what: "verify 1,000,000 entries",
      unit: "cpu ms",
      product: () => timed(async () => mustHold(await large.audit.verify("genesis"))),
      limit: hashing(large),
      peer: null,
      goals: [{ against: "limit", compare: "cost_at_most", factor: 0.5 }],
    },
    {
      what: `verify since the last checkpoint, ${NEW} new`,
      unit: "cpu ms",
      product: () => sinceCheckpoint(large.audit),
      limit: () => sinceCheckpoint(small.audit),
      peer: null,
      goals: [
        { against: "figure", atMost: 5 },
        { against: "limit", compare: "cost_at_most", factor: 1.2 },
      ],
    },
  ];
}

const idAt = (index: number): string => `0192f0c1-7a3b-7c11-9e55-${String(index % 1_000_000).padStart(12, "0")}`;

function draftAt(index: number): AuditDraft {
  const messageId = idAt(index);
  const data = { message_id: messageId, channel: "web", taint: "external", key_id: null };
  return { event: "message_received", data, at: AT, actor: { kind: "owner", session_id: messageId } };
}

type Chain = { readonly audit: AuditLog; readonly path: string };

async function makeChain(entries: number): Promise<Chain> {
  const dataDir = join(makeDir(), "data");
  const auditRules = createAuditRules(systemSha256);
  const opened = await openRuntime({ dataDir, clock: systemClock, random: systemRandomness, auditRules });
  if (!opened.ok) throw new Error(`the chain does not open: ${opened.error.code}`);
  whenMeasured(() => opened.value.close());
  const { audit } = opened.value;
  fillChain(join(dataDir, "silas.db"), entries);
  return { audit, path: join(dataDir, "silas.db") };
}

/** The entries as the product would write them, in one commit: a million commits would measure the disk. */
export function fillChain(path: string, entries: number): void {
  const rules = createAuditRules(systemSha256);
  const db = new DatabaseSync(path);
  const insert = db.prepare("INSERT INTO audit_entries (seq, entry, hash) VALUES (?, ?, ?)");
  const last = db.prepare("SELECT seq, hash FROM audit_entries ORDER BY seq DESC LIMIT 1").get();
  let head = (last as AuditHead | undefined) ?? rules.genesis;
  db.exec("BEGIN");
  for (let index = 0; index < entries; index += 1) {
    const sealed = rules.seal(head, draftAt(index));
    if (!sealed.ok) throw new Error(`an entry is refused: ${JSON.stringify(sealed.error)}`);
    const { seq, text, hash } = sealed.value;
    insert.run(seq, text, hash);
    head = sealed.value;
  }
  db.exec("COMMIT");
  db.close();
}

async function appendMany(audit: AuditLog): Promise<number> {
  return cpuMicros(APPENDS, async () => {
    for (let done = 0; done < APPENDS; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => audit.append(draftAt(done + index))));
    }
  });
}

/** The same columns with the same two indexes, written as they are: no chain, nothing derived from the text. */
function makeBare(): { readonly appendMany: () => Promise<number> } {
  const db = new DatabaseSync(join(makeDir(), "bare.db"));
  whenMeasured(() => db.close());
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE bare (seq INTEGER PRIMARY KEY, entry TEXT NOT NULL, hash TEXT NOT NULL, at TEXT, event TEXT,
      subject_kind TEXT, subject_id TEXT) STRICT;
    CREATE INDEX bare_by_time ON bare (at);
    CREATE INDEX bare_by_subject ON bare (subject_kind, subject_id)`);
  const insert = db.prepare(
    "INSERT INTO bare (entry, hash, at, event, subject_kind, subject_id) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const hash = "0".repeat(64);
  return {
    appendMany: () =>
      cpuMicros(APPENDS, async () => {
        for (let done = 0; done < APPENDS; done += AT_ONCE) {
          db.exec("BEGIN IMMEDIATE");
          for (let index = 0; index < AT_ONCE; index += 1) {
            const { event, at } = draftAt(done + index);
            insert.run(textOf(done + index), hash, at, event, "message", idAt(done + index));
          }
          db.exec("COMMIT");
        }
      }),
  };
}

type Hypercore = {
  ready(): Promise<void>;
  append(block: Uint8Array): Promise<unknown>;
  close(): Promise<void>;
};
const PEER_APPENDS = 1_280;

/** The same texts appended by as many at once; a core keeps a signed tree over its blocks, and does not wait for the disk. */
async function makeHypercore(): Promise<{ readonly appendMany: () => Promise<number> }> {
  const { default: Core } = await importPeer<{ readonly default: new (dir: string) => Hypercore }>("hypercore");
  const core = new Core(join(makeDir(), "core"));
  await core.ready();
  whenMeasured(() => core.close());
  return {
    appendMany: () =>
      cpuMicros(PEER_APPENDS, async () => {
        for (let done = 0; done < PEER_APPENDS; done += AT_ONCE) {
          const blocks = Array.from({ length: AT_ONCE }, (_, index) => Buffer.from(textOf(done + index)));
          await Promise.all(blocks.map((block) => core.append(block)));
        }
      }),
  };
}

/** As long as an entry of the chain. */
const textOf = (index: number): string => JSON.stringify({ ...draftAt(index), prev_hash: "0".repeat(64), seq: index });

let checkpoints = 0;

/** A checkpoint, then entries behind it, then the look at them alone; the best of several. */
async function sinceCheckpoint(audit: AuditLog): Promise<number> {
  checkpoints += 1;
  await audit.checkpoint({ checkpointId: `bench-${checkpoints}`, at: AT, key: null });
  await Promise.all(Array.from({ length: NEW }, (_, index) => audit.append(draftAt(index))));
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    times.push(await timed(async () => mustHold(await audit.verify("latest"))));
  }
  return Math.min(...times);
}

function mustHold(verdict: Awaited<ReturnType<AuditLog["verify"]>>): void {
  if (!verdict.ok || !verdict.value.valid) throw new Error(`the chain does not hold: ${JSON.stringify(verdict)}`);
}

/** One thread hashing every text, and nothing else: reading them is not counted. */
function hashing({ path }: Chain): () => Promise<number> {
  return async () => {
    const db = new DatabaseSync(path, { readOnly: true });
    const page = db.prepare("SELECT entry FROM audit_entries WHERE seq > ? ORDER BY seq LIMIT 10000");
    page.setReturnArrays(true);
    let spent = 0;
    for (let done = 0, rows = 1; rows > 0; done += rows) {
      const texts = page.all(done) as unknown as readonly (readonly [string])[];
      rows = texts.length;
      spent += await timed(async () => {
        for (const [text] of texts) systemSha256(text);
      });
    }
    db.close();
    return spent;
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  return (await cpuMicros(1, work)) / 1_000;
}

async function cpuMicros(operations: number, work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / operations;
}
