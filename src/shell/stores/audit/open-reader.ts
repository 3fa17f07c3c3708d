import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { err, ok, type Result } from "#base";
import type { StoreFault } from "#model";
import type { AuditReader, AuditRules } from "#ports";
import type { SqlParams } from "../sqlite.ts";
import { faultOf } from "../store-fault.ts";
import { createHeadsFile } from "./heads.ts";
import { createAuditReader, type ReadableDb } from "./read.ts";

/** There is no database yet, or one from before there was an audit chain. */
export type NoAudit = { readonly code: "no_audit"; readonly file: string };

const BUSY_TIMEOUT_MS = 5_000;

/** The chain of a data directory as it lies there, also beside a running instance. Nothing is written or migrated. */
export function openAuditReader(options: {
  readonly dataDir: string;
  readonly rules: AuditRules;
}): Result<AuditReader, NoAudit | StoreFault> {
  const file = join(options.dataDir, "silas.db");
  if (!existsSync(file)) return err({ code: "no_audit", file });
  try {
    const db = openForReading(file);
    if (db.get("SELECT 1 FROM sqlite_master WHERE name = 'audit_checkpoints'") === null) {
      db.close();
      return err({ code: "no_audit", file });
    }
    return ok(createAuditReader({ db, rules: options.rules, heads: createHeadsFile(options.dataDir) }));
  } catch (cause) {
    return err(faultOf(cause));
  }
}

function openForReading(path: string): ReadableDb {
  const handle = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  return {
    get: <Row>(sql: string, params: SqlParams = {}) => (handle.prepare(sql).get(params) as Row | undefined) ?? null,
    all: <Row>(sql: string, params: SqlParams = {}) => handle.prepare(sql).all(params) as Row[],
    close: () => handle.close(),
  };
}
