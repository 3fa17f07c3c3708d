import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { KeyObject } from "node:crypto";
import { approvalTokenSchema, tokenSigningBytes } from "../../src/core/model/index.ts";
import { makeDir, whenMeasured } from "../places.ts";

// Node's own: what the raw limit is made of.
const { sign, verify } = process.getBuiltinModule("node:crypto");

type Row = Record<string, SQLInputValue>;
/** What one approval wrote: the bytes that were signed, its rows, and its request as it is then. */
type Written = { readonly signed: Buffer; readonly rows: readonly Inserted[]; readonly request: Row };
type Inserted = { readonly table: Table; readonly row: Row };
/** In the order in which they refer to each other. */
const TABLES = [
  "approval_tokens",
  "attempt_lineages",
  "approval_uses",
  "decision_tokens",
  "audit_entries",
  "queue",
] as const;
type Table = (typeof TABLES)[number];

/** As long as the note of an entry. */
const LINE = `{"hash":"${"0".repeat(64)}","seq":1000}\n`;

type Keys = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

/** Whether the line beside the database is written too, which has to be on the disk before anything follows. */
export type Beside = "with_line" | "without_line";

/**
 * The raw limit of an approval: signs and verifies the same bytes and writes the very rows that the product wrote, in the
 * same tables of a copy from before, by prepared statements in one transaction each, and then the line beside the
 * database. It reads nothing and decides nothing.
 */
export function createRawApprovals(path: string, { publicKey, privateKey }: Keys) {
  let copy = "";
  return {
    /** Copies the database as it is before the product approves anything. */
    copyBefore(): void {
      copy = join(makeDir(), "copy.db");
      const db = new DatabaseSync(path, { readOnly: true });
      db.prepare("VACUUM INTO ?").run(copy);
      db.close();
    },
    /** Writes what the product wrote for these requests since the copy; answers with the CPU time of each. */
    writeSame(requestIds: readonly string[], beside: Beside): number {
      const written = readWritten(path, requestIds);
      const db = openRaw(copy);
      const insert = createInserts(db);
      for (const { request } of written) keepPending(db, request);
      const close = db.prepare(
        "UPDATE pending_decisions SET state = ?, decided_at = ?, decided_by = ?, token_id = ? WHERE request_id = ?",
      );
      const handle = openSync(`${copy}.lines`, "a");
      const start = process.cpuUsage();
      for (const { signed, rows, request } of written) {
        if (!verify(null, signed, publicKey, sign(null, signed, privateKey)))
          throw new Error("a signature does not hold");
        db.exec("BEGIN IMMEDIATE");
        for (const { table, row } of rows) insert(table, row);
        close.run(
          ...["state", "decided_at", "decided_by", "token_id", "request_id"].map((name) => request[name] ?? null),
        );
        db.exec("COMMIT");
        if (beside === "with_line") {
          writeSync(handle, LINE);
          fsyncSync(handle);
        }
      }
      const { user, system } = process.cpuUsage(start);
      closeSync(handle);
      return (user + system) / written.length;
    },
  };
}

function openRaw(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: true });
  whenMeasured(() => db.close());
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  // As warm as the database of the product, which has just written what it reads.
  db.prepare("PRAGMA integrity_check").all();
  return db;
}

/** A request that was asked after the copy was made, as it was then. */
function keepPending(db: DatabaseSync, request: Row): void {
  const pending: Row = { ...request, state: "pending", decided_at: null, decided_by: null, token_id: null };
  const names = Object.keys(pending);
  const places = names.map(() => "?").join(", ");
  const sql = `INSERT OR IGNORE INTO pending_decisions (${names.join(", ")}) VALUES (${places})`;
  db.prepare(sql).run(...Object.values(pending));
}

/** Columns that are generated are left to the table, as the product leaves them. */
function createInserts(db: DatabaseSync): (table: Table, row: Row) => void {
  const inserts = TABLES.map((table) => {
    const names = columnsOf(db, table);
    const places = names.map(() => "?").join(", ");
    const statement = db.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${places})`);
    return [table, { names, statement }] as const;
  });
  const byTable = new Map(inserts);
  return (table, row) => {
    const { names, statement } = byTable.get(table) ?? { names: [], statement: null };
    statement?.run(...names.map((name) => row[name] ?? null));
  };
}

const columnsOf = (db: DatabaseSync, table: Table): readonly string[] =>
  db
    .prepare("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0")
    .all(table)
    .map((row) => String(row["name"]));

function readWritten(path: string, requestIds: readonly string[]): readonly Written[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const of = (table: Table, where: string, value: SQLInputValue): readonly Inserted[] =>
    db
      .prepare(`SELECT * FROM ${table} WHERE ${where}`)
      .all(value)
      .map((row) => ({ table, row: row as Row }));
  const written = requestIds.map((requestId): Written => {
    const request = db.prepare("SELECT * FROM pending_decisions WHERE request_id = ?").get(requestId) as Row;
    const tokens = of("approval_tokens", "token_id = ?", request["token_id"] ?? null);
    const uses = of("approval_uses", "nonce = ?", tokens[0]?.row["nonce"] ?? null);
    const lineageId = uses[0]?.row["lineage_id"] ?? null;
    const rows = [
      ...tokens,
      ...of("attempt_lineages", "lineage_id = ?", lineageId),
      ...uses,
      ...of("decision_tokens", "request_id = ?", requestId),
      ...of("audit_entries", "subject_kind = 'approval' AND subject_id = ?", request["token_id"] ?? null),
      ...of("queue", "json_extract(message, '$.payload.request_id') = ?", requestId),
    ];
    if (rows.length !== TABLES.length) throw new Error(`an approval wrote ${rows.length} rows`);
    return { signed: signedBytes(tokens[0]?.row["token"]), rows, request };
  });
  db.close();
  return written;
}

const signedBytes = (token: unknown): Buffer =>
  Buffer.from(tokenSigningBytes(approvalTokenSchema.parse(JSON.parse(String(token)))));
