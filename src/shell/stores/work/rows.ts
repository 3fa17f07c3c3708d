import { type Instant, type Sha256Hex, sha256Hex } from "#base";
import {
  ledgerEntrySchema,
  ledgerEntryToWire,
  runRecordSchema,
  runRecordToWire,
  type LedgerEntry,
  type RunRecord,
  settlementText,
  type AuditDraft,
} from "#model";
import type { GrantedRun, RunChange, RunNote, SettledRun } from "#ports";
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

/** The audit entries of the work store. */

const UNDER_WAY: ReadonlySet<RunRecord["status"]> = new Set(["pending", "running", "verifying", "paused", "waiting"]);
export const isOver = ({ status }: Pick<RunRecord, "status">): boolean => !UNDER_WAY.has(status);

/** A run that ends is recorded with the hash of all it did, which is asked for when everything of it is kept. */
export const draftsOf = (change: RunChange, hash: () => Sha256Hex): readonly AuditDraft[] =>
  change.events.flatMap((event) => (event.kind === "out_of_ways" ? [] : draftOf({ ...change, hash }, event)));

/** What is asked in consequence tells of itself. */
type Told = Exclude<RunNote, { readonly kind: "out_of_ways" }>;
type Hashed = { readonly hash: () => Sha256Hex };

function draftOf({ run, at, actor, hash }: RunChange & Hashed, note: Told): AuditDraft {
  const names = { run_id: run.runId, work_item_id: run.workItemId };
  const said = { at, actor };
  switch (note.kind) {
    case "run_started":
      return { event: note.kind, data: { ...names, token_id: run.tokenId, plan_hash: run.planHash }, ...said };
    case "execution_blocked_no_approval":
      return { event: note.kind, data: { ...names, reason: note.reason }, ...said };
    case "step_in_doubt":
      return { event: note.kind, data: { ...names, attempt: note.attempt, step_index: note.stepIndex }, ...said };
    case "artifact_ref_mismatch": {
      const { kind: event, ...counts } = note;
      return { event, data: { ...names, ...counts }, ...said };
    }
    case "run_paused":
    case "run_resumed":
      return { event: note.kind, data: names, ...said };
    case "run_ended":
      return { event: note.kind, data: { ...names, ...endOf(run), execution_hash: hash() }, ...said };
  }
}

export function settledDraft(run: RunRecord, { settlement, actor }: SettledRun): AuditDraft {
  const { runId, choice, at, isVerified, results } = settlement;
  const data = {
    run_id: runId,
    work_item_id: run.workItemId,
    choice,
    is_verified: isVerified,
    checks: results.length,
    checks_passed: results.filter(({ passed }) => passed).length,
    settlement_hash: sha256Hex(settlementText(settlement)),
  };
  return { event: "run_settled", data, at, actor };
}

const endOf = ({ status, isVerified, attempts, results }: RunRecord) => ({
  status,
  is_verified: isVerified,
  attempts,
  checks: results.length,
  checks_passed: results.filter(({ passed }) => passed).length,
});
