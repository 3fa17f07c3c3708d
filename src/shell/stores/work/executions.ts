import { assert, sha256Hex, type JsonValue, type Sha256Hex, ok } from "#base";
import { executionText, type AuditRow, type KeptRows, type NetworkUse } from "#model";
import type { KeptExecution, RunNetworkStore } from "#ports";
import type { Sqlite } from "../sqlite.ts";
import { wholeJson, guarded, guardedValue } from "../store-fault.ts";
import type { LedgerRow, RunRow } from "./rows.ts";
import type { RecordAct } from "../audit/log.ts";

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

type Parts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/**
 * What runs did with their network, beside the runs themselves. INVARIANT: what has ended stays as its end was recorded;
 * checks that are asked of it afterwards are in the chain alone.
 */
export function createRunNetworkStore({ db, recordAct }: Parts): RunNetworkStore {
  return {
    addNetworkUse: async ({ runId, use, draft }) =>
      guarded(() =>
        db.transaction(() => {
          recordAct(draft);
          db.run(
            `INSERT INTO run_network (run_id, host, requests, bytes_sent, bytes_received)
             SELECT :runId, :host, :requests, :bytesSent, :bytesReceived
             WHERE NOT EXISTS (SELECT 1 FROM work_runs WHERE run_id = :runId AND ended_at IS NOT NULL)
             ON CONFLICT (run_id, host) DO UPDATE SET requests = requests + excluded.requests,
               bytes_sent = bytes_sent + excluded.bytes_sent, bytes_received = bytes_received + excluded.bytes_received`,
            { runId, ...use },
          );
          return ok();
        }),
      ),
    networkOf: async (runId) => guardedValue(() => networkOf(db, runId)),
  };
}

type Row = {
  readonly host: string;
  readonly requests: number;
  readonly bytes_sent: number;
  readonly bytes_received: number;
};

function networkOf(db: Sqlite, runId: string): readonly NetworkUse[] {
  return db
    .all<Row>(
      "SELECT host, requests, bytes_sent, bytes_received FROM run_network WHERE run_id = :runId ORDER BY host",
      {
        runId,
      },
    )
    .map(({ host, requests, bytes_sent: bytesSent, bytes_received: bytesReceived }) => ({
      host,
      requests,
      bytesSent,
      bytesReceived,
    }));
}
