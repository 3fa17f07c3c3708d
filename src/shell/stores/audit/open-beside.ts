import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { err, ok, type Instant, type Result } from "#base";
import { faultOf } from "#engine";
import type { AuditRules, HoldReason, StoreFault } from "#model";
import type { AuditLog, AuditReader, WorkTitles } from "#ports";
import { readGateNames, readTitles } from "../approvals/titles.ts";
import { openSqlite, type Sqlite, type SqlParams } from "../sqlite.ts";
import { guardedValue } from "../store-fault.ts";
import { createHeadsFile } from "./heads.ts";
import { noteAnew } from "./hold.ts";
import { createAuditLog } from "./log.ts";
import { judgePlace } from "./place.ts";
import { createAuditReader, type ReadableDb } from "./read.ts";

/** There is no database yet, or one from before there was an audit chain. */
export type NoAudit = { readonly code: "no_audit"; readonly file: string };

export type AuditPlace = { readonly dataDir: string; readonly rules: AuditRules };

/**
 * The chain of a data directory as it lies there, also beside a running instance, with what its work is called. Nothing
 * is written or migrated.
 */
export function openAuditReader({
  dataDir,
  rules,
}: AuditPlace): Result<AuditReader & WorkTitles, NoAudit | StoreFault> {
  return openAsItIs({ dataDir, open: openForReading }, (db) => ({
    ...createAuditReader({ db, rules, heads: createHeadsFile(dataDir) }),
    titlesOf: async (ids: readonly string[]) => guardedValue(() => readTitles(db, ids)),
    gateNamesOf: async (runIds: readonly string[]) => guardedValue(() => readGateNames(db, runIds)),
  }));
}

/**
 * The same for adding entries, by a command that does its work beside a running instance. Each append finds the head in
 * its own transaction, so both write one chain.
 */
export function openAuditLog({ dataDir, rules }: AuditPlace): Result<AuditLog, NoAudit | StoreFault> {
  return openAsItIs(
    { dataDir, open: openForWriting },
    (db) => createAuditLog({ db, rules, heads: createHeadsFile(dataDir) }).log,
  );
}

/**
 * Notes a chain that was put back from a copy as the newest, with the heads of its own checkpoints. Whether these were
 * signed is not something that can be made up here.
 */
export function renewHeads({ dataDir, rules }: AuditPlace, at: Instant): Result<void, NoAudit | StoreFault> {
  const opened = openAsItIs({ dataDir, open: openForReading }, (db) => db);
  if (!opened.ok) return opened;
  const db = opened.value;
  try {
    return guardedValue(() => noteAnew({ db, rules, heads: createHeadsFile(dataDir) }, at));
  } finally {
    db.close();
  }
}

/** Why a start would be read-only; null when it would not. Nothing is written or migrated. */
export function readHold({ dataDir, rules }: AuditPlace): Result<HoldReason | null, NoAudit | StoreFault> {
  const opened = openAsItIs({ dataDir, open: openForReading }, (db) => db);
  if (!opened.ok) return opened;
  const db = opened.value;
  try {
    return guardedValue(() => judgePlace({ db, rules, heads: createHeadsFile(dataDir) })?.reason ?? null);
  } finally {
    db.close();
  }
}

type Opening<Db> = { readonly dataDir: string; readonly open: (path: string) => Db };

function openAsItIs<Db extends ReadableDb, Opened>(
  { dataDir, open }: Opening<Db>,
  create: (db: Db) => Opened,
): Result<Opened, NoAudit | StoreFault> {
  const file = join(dataDir, "silas.db");
  if (!existsSync(file)) return err({ code: "no_audit", file });
  let db: Db | null = null;
  try {
    db = open(file);
    if (db.get("SELECT 1 FROM sqlite_master WHERE name = 'audit_checkpoints'") !== null) return ok(create(db));
    db.close();
    return err({ code: "no_audit", file });
  } catch (cause) {
    // What is opened is no database, or a damaged one: that shows only when it is read.
    db?.close();
    return err(faultOf(cause));
  }
}

const openForWriting = (path: string): Sqlite => openSqlite({ path, synchronous: "FULL" });

const BUSY_TIMEOUT_MS = 5_000;

function openForReading(path: string): ReadableDb {
  const handle = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  return {
    get: <Row>(sql: string, params: SqlParams = {}) => (handle.prepare(sql).get(params) as Row | undefined) ?? null,
    all: <Row>(sql: string, params: SqlParams = {}) => handle.prepare(sql).all(params) as Row[],
    columns: <Row>(sql: string, params: SqlParams = {}) => {
      const statement = handle.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(params) as unknown[] as Row[];
    },
    close: () => handle.close(),
  };
}
