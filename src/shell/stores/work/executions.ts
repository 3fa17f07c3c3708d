import { assert, sha256Hex, type JsonValue, type Sha256Hex } from "#base";
import { executionText, type AuditRow, type KeptRows } from "#model";
import type { KeptExecution } from "#ports";
import type { Sqlite } from "../sqlite.ts";
import { wholeJson } from "../store-fault.ts";
import type { LedgerRow, RunRow } from "./rows.ts";
import { networkOf } from "./run-network.ts";

/** The hash of everything that a run did, over its rows as they are in this moment. */
export function executionHash(db: Sqlite, runId: string): Sha256Hex {
  const rows = rowsOf(db, runId);
  assert(rows !== null, "a run that ends is kept");
  return sha256Hex(executionText(rows));
}

/** What was run on the approvals of a request and has ended with a hash in the chain, in the order in which it began. */
export function executionsOf(db: Sqlite, requestId: string): readonly KeptExecution[] {
  const ids = db.all<{ readonly run_id: string }>(
    `SELECT r.run_id FROM decision_tokens g CROSS JOIN work_runs r ON r.token_id = g.token_id
     WHERE g.request_id = :requestId AND r.ended_at IS NOT NULL ORDER BY r.started_at, r.run_id`,
    { requestId },
  );
  return ids.flatMap(({ run_id: runId }) => {
    const [rows, audit] = [rowsOf(db, runId), linesOf(db, runId)];
    // The end of a run of an older Silas has no hash, so that nothing holds what would be shown of it.
    if (rows === null || !audit.some(({ text }) => text.includes('"execution_hash":'))) return [];
    const settled = db.get<RunRow>("SELECT record FROM run_settlements WHERE run_id = :runId", { runId });
    return [{ record: executionText(rows), settlement: settled?.record ?? null, audit }];
  });
}

function rowsOf(db: Sqlite, runId: string): KeptRows | null {
  const run = db.get<RunRow>("SELECT record FROM work_runs WHERE run_id = :runId", { runId });
  if (run === null) return null;
  const ledger = db.all<LedgerRow>("SELECT entry FROM work_ledger WHERE run_id = :runId ORDER BY position", { runId });
  return { run: jsonOf(run.record), ledger: ledger.map(({ entry }) => jsonOf(entry)), network: networkOf(db, runId) };
}

function linesOf(db: Sqlite, runId: string): readonly AuditRow[] {
  return db.all<AuditRow>(
    `SELECT seq, entry AS text, hash FROM audit_entries
     WHERE subject_kind = 'run' AND subject_id = :runId ORDER BY seq`,
    { runId },
  );
}

const jsonOf = (text: string): JsonValue => wholeJson(text, "WSTORE-03 a kept run is whole");
