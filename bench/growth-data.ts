import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sha256Hex, type Instant } from "../src/core/base/index.ts";
import type { AuditDraft, AuditHead } from "../src/core/model/index.ts";
import { createAuditRules } from "../src/core/policy/index.ts";
import { systemSha256 } from "../src/shell/runtime/index.ts";
import { makeJournal } from "./journals.ts";
import { makeDir, ROOT } from "./places.ts";
import { productCommand, startServer } from "./processes.ts";

/** How much of everything there is: `messages` also is about the number of audit entries. */
export type History = {
  readonly messages: number;
  readonly memories: number;
  readonly runs: number;
  readonly records: number;
};

export type Grown = {
  readonly home: string;
  readonly dataDir: string;
  readonly memoryId: string;
  readonly runId: string;
};

/** The newest of every history are the same, so that pages that show them are: a message, a memory and a run in turn. */
const NEWEST = 1_000;
/** One entry every half minute: a past day holds about 2,880 of them, however long the history. */
const STEP_MS = 30_000;
const WORK_ID = "work-greet-plan-000000000000";
const PLAN = `---\nid: ${WORK_ID}\ntype: task\ntitle: Greet\nsteps:\n  - { name: greet, run: /usr/bin/true }\n---\n\n# Greet\n\nSays nothing.\n`;

/**
 * A directory as the product leaves it after one message, one memory and one run, and those again and again under other
 * ids and times: real rows behind real triggers, and a chain that holds, with a checkpoint at its end.
 */
export async function makeHistory(history: History): Promise<Grown> {
  const home = join(makeDir(), "home");
  const dataDir = join(home, "data");
  silas(home, ["init"]);
  const plan = join(makeDir(), "greet.md");
  writeFileSync(plan, PLAN);
  silas(home, ["say", "Good morning"]);
  silas(home, ["memory", "add", "The workshop closes on Mondays"]);
  const planHash = /[0-9a-f]{64}/.exec(silas(home, ["plan", "check", plan, "--json"]))?.[0] ?? "";
  silas(home, ["run", plan, "--hash", planHash]);
  cpSync(join(await makeJournal(history.records), "db.sqlite"), join(dataDir, "db.sqlite"));
  for (const left of ["db.sqlite-wal", "db.sqlite-shm"]) rmSync(join(dataDir, left), { force: true });
  const ids = repeat(join(dataDir, "silas.db"), history);
  await checkpoint(home);
  return { home, dataDir, ...ids };
}

function silas(home: string, args: readonly string[]): string {
  const result = spawnSync(process.execPath, [join(ROOT, "src", "main.ts"), "--no-input", ...args], {
    env: { PATH: process.env["PATH"] ?? "", SILAS_HOME: home, HOME: home, NODE_NO_WARNINGS: "1" },
    encoding: "utf8",
  });
  if (result.status !== 0) throw new Error(`silas ${args.join(" ")}: ${result.stderr || result.stdout}`);
  return result.stdout;
}

/** The rows and entries of one thing, and its ids, which are other ones in each copy. */
type Thing = {
  readonly tables: readonly (readonly [table: string, rows: readonly Row[]])[];
  readonly entries: readonly AuditDraft[];
  readonly ids: readonly string[];
};
type Row = { readonly [column: string]: string | number | bigint | null | Uint8Array };

function repeat(path: string, history: History): Pick<Grown, "memoryId" | "runId"> {
  const db = new DatabaseSync(path);
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN");
  const writer = createWriter(db, history.messages);
  const [message, memory, run] = [messageIn(db), memoryIn(db), runIn(db)];
  const before = history.messages - NEWEST;
  const every = (count: number): number => Math.max(1, Math.floor(before / Math.max(1, count - NEWEST)));
  for (let index = 0; index < history.messages; index += 1) {
    const isNew = index >= before;
    writer.write(message, index);
    if (isNew || index % every(history.memories) === 0) writer.write(memory, index);
    if (isNew || index % every(history.runs) === 0) writer.write(run, index);
  }
  db.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  return { memoryId: memory.ids[0] ?? "", runId: run.ids[0] ?? "" };
}

function createWriter(db: DatabaseSync, count: number) {
  const rules = createAuditRules(systemSha256);
  const insertEntry = db.prepare("INSERT INTO audit_entries (seq, entry, hash) VALUES (?, ?, ?)");
  const insertWords = db.prepare("INSERT INTO memory_search (rowid, content, semantic_tags) VALUES (?, ?, ?)");
  let head = db.prepare("SELECT seq, hash FROM audit_entries ORDER BY seq DESC LIMIT 1").get() as unknown as AuditHead;
  let nextMemory = Number(db.prepare("SELECT max(seq) AS seq FROM memory_items").get()?.["seq"]) + 1;
  const beginsMs = Date.now() - count * STEP_MS;
  const inserts = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const prepared = (table: string, columns: readonly string[]) => {
    const known = inserts.get(table);
    if (known !== undefined) return known;
    const made = db.prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    inserts.set(table, made);
    return made;
  };
  return {
    write({ tables, entries, ids }: Thing, index: number): void {
      const at = new Date(beginsMs + index * STEP_MS).toISOString() as Instant;
      const renamed = (text: string): string => ids.reduce((one, id) => one.replaceAll(id, idAt(id, index)), text);
      for (const [table, rows] of tables) {
        for (const row of rows) {
          const words = table === "memory_items" ? `Note ${index} about the workshop` : null;
          const values = Object.entries(row).map(([column, value]) => {
            if (words !== null && column === "seq") return nextMemory;
            if (words !== null && column === "content") return words;
            if (words !== null && column === "content_digest") return sha256Hex(words);
            if (typeof value !== "string") return value;
            return TIMES.has(column) ? at : renamed(value);
          });
          prepared(table, Object.keys(row)).run(...values);
          if (words !== null) insertWords.run(nextMemory++, words, "[]");
        }
      }
      for (const draft of entries) {
        const data = JSON.parse(renamed(JSON.stringify(draft.data))) as AuditDraft["data"];
        const sealed = rules.seal(head, { ...draft, data, at } as AuditDraft);
        if (!sealed.ok) throw new Error(`an entry is refused: ${JSON.stringify(sealed.error)}`);
        insertEntry.run(sealed.value.seq, sealed.value.text, sealed.value.hash);
        head = sealed.value;
      }
    },
  };
}

const TIMES = new Set(["received_at", "created_at", "updated_at", "decided_at", "started_at", "ended_at", "used_at"]);

/** As long as an id, in the order of the copies, and before every id that is made today. */
const idAt = (id: string, index: number): string => `0100${id.slice(4, -12)}${index.toString(16).padStart(12, "0")}`;

const rowsOf = (db: DatabaseSync, sql: string, ...values: readonly string[]): readonly Row[] =>
  db.prepare(sql).all(...values) as Row[];

function entriesOf(db: DatabaseSync, ids: readonly string[]): readonly AuditDraft[] {
  return rowsOf(db, "SELECT entry FROM audit_entries WHERE subject_kind IS NOT NULL ORDER BY seq")
    .map(({ entry }) => String(entry))
    .filter((entry) => ids.some((id) => entry.includes(id)))
    .map((entry) => {
      const { event, data, at, actor } = JSON.parse(entry) as AuditDraft;
      return { event, data, at, actor } as AuditDraft;
    });
}

function messageIn(db: DatabaseSync): Thing {
  const rows = rowsOf(db, "SELECT * FROM messages WHERE state = 'accepted' LIMIT 1");
  const ids = rows.map((row) => String(row["message_id"]));
  return {
    tables: [["messages", rows]],
    entries: entriesOf(db, ids).filter(({ event }) => event === "message_received"),
    ids,
  };
}

function memoryIn(db: DatabaseSync): Thing {
  const rows = rowsOf(db, "SELECT * FROM memory_items WHERE trust_level = 'working' LIMIT 1");
  const ids = rows.map((row) => String(row["memory_id"]));
  return { tables: [["memory_items", rows]], entries: entriesOf(db, ids), ids };
}

function runIn(db: DatabaseSync): Thing {
  const [run] = rowsOf(db, "SELECT run_id, token_id FROM work_runs LIMIT 1");
  const [runId, tokenId] = [String(run?.["run_id"]), String(run?.["token_id"])];
  const [given] = rowsOf(db, "SELECT request_id FROM decision_tokens WHERE token_id = ?", tokenId);
  const requestId = String(given?.["request_id"]);
  const tokens = rowsOf(db, "SELECT * FROM approval_tokens WHERE token_id = ?", tokenId);
  const ledger = rowsOf(db, "SELECT * FROM work_ledger WHERE run_id = ?", runId);
  const nonce = String(tokens[0]?.["nonce"]);
  const ids = [runId, tokenId, requestId, nonce, WORK_ID, ...ledger.map((row) => String(row["execution_id"]))];
  const {
    shown_status: _shown,
    id_end: _end,
    ...kept
  } = rowsOf(db, "SELECT * FROM work_runs WHERE run_id = ?", runId)[0] ?? {};
  return {
    tables: [
      ["approval_tokens", tokens],
      ["pending_decisions", rowsOf(db, "SELECT * FROM pending_decisions WHERE request_id = ?", requestId)],
      ["decision_tokens", rowsOf(db, "SELECT * FROM decision_tokens WHERE request_id = ?", requestId)],
      ["attempt_lineages", rowsOf(db, "SELECT * FROM attempt_lineages WHERE lineage_id = ?", runId)],
      ["approval_uses", rowsOf(db, "SELECT * FROM approval_uses WHERE nonce = ?", nonce)],
      ["work_runs", [kept]],
      ["work_ledger", ledger],
    ],
    entries: entriesOf(db, [runId, tokenId]),
    ids,
  };
}

/** A start and a stop: the product verifies what came after its last checkpoint, and marks and signs the head. */
async function checkpoint(home: string): Promise<void> {
  const server = await startServer(productCommand(home));
  await server.stop();
  const db = new DatabaseSync(join(home, "data", "silas.db"), { readOnly: true });
  const [marked] = rowsOf(
    db,
    "SELECT max(c.seq) AS seq, (SELECT max(seq) FROM audit_entries) AS last FROM audit_checkpoints c",
  );
  db.close();
  if (Number(marked?.["last"]) - Number(marked?.["seq"]) > 10) throw new Error("the start left the history unmarked");
}
