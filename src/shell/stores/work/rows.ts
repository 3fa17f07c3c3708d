import type { Instant, Sha256Hex } from "#base";
import {
  ledgerEntrySchema,
  ledgerEntryToWire,
  runRecordSchema,
  runRecordToWire,
  type LedgerEntry,
  type RunRecord,
} from "#model";
import type { GrantedRun } from "#ports";
import { whole, wholeJson } from "../store-fault.ts";

/** Rows of `silas.db` as the values of `#model`, and back. */

export type RunRow = { readonly record: string };

export const runParams = (run: RunRecord) => ({
  run_id: run.runId,
  work_item_id: run.workItemId,
  token_id: run.tokenId,
  status: columnOf(run.status),
  attempts: run.attempts,
  record: JSON.stringify(runRecordToWire(run)),
  started_at: run.startedAt,
  ended_at: run.endedAt,
});

/** The column is for finding what is not over; that it rests, or is a project that failed, stands in the record. */
function columnOf(status: RunRecord["status"]): string {
  if (status === "paused" || status === "waiting") return "pending";
  return status === "failed" ? "stuck" : status;
}

export function runOf({ record }: RunRow): RunRecord {
  const kept = "WSTORE-03 a kept run is whole";
  return whole(runRecordSchema.safeParse(wholeJson(record, kept)).data, kept);
}

export type LedgerRow = { readonly entry: string };

export const entryParams = (entry: LedgerEntry) => ({
  execution_id: entry.executionId,
  run_id: entry.runId,
  state: entry.state,
  entry: JSON.stringify(ledgerEntryToWire(entry)),
});

export function entryOf({ entry: text }: LedgerRow): LedgerEntry {
  const kept = "EXEC-12 a kept step is whole";
  return whole(ledgerEntrySchema.safeParse(wholeJson(text, kept)).data, kept);
}

export type GrantRow = {
  readonly run_id: string;
  readonly request_id: string;
  readonly work_item_id: string;
  readonly token_id: string;
  readonly plan_hash: string;
  readonly granted_at: string;
  readonly project_run_id: string | null;
};

export const grantOf = (row: GrantRow): GrantedRun => ({
  runId: row.run_id,
  requestId: row.request_id,
  workItemId: row.work_item_id,
  tokenId: row.token_id,
  planHash: row.plan_hash as Sha256Hex,
  grantedAt: row.granted_at as Instant,
  projectRunId: row.project_run_id,
});
