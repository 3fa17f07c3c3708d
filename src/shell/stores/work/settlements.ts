import { err, ok, type Result, assert } from "#base";
import {
  runSettlementSchema,
  settlementText,
  type RunRecord,
  type RunSettlement,
  type WorkRefusal,
  type KeptRequest,
  type RequestRefusal,
} from "#model";
import type { SettledRun, RunChange } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { readable, whole, wholeJson } from "../store-fault.ts";
import { settledDraft, runOf, type RunRow } from "./rows.ts";
import { declineWithin, proposeWithin } from "../approvals/approval-store.ts";
import { findRequest } from "../approvals/reads.ts";
import type { ApprovalStoreParts } from "../approvals/spend.ts";

const IN_DOUBT = `work_runs r INDEXED BY work_runs_in_doubt
  WHERE r.status = 'in_doubt' AND NOT EXISTS (SELECT 1 FROM run_settlements s WHERE s.run_id = r.run_id)`;

/** Runs in doubt about which nothing was decided; oldest first. */
export function runsInDoubt(db: Sqlite): readonly RunRecord[] {
  const rows = db.all<RunRow>(`SELECT r.record FROM ${IN_DOUBT} ORDER BY r.started_at, r.run_id`);
  return readable(rows, runOf);
}

export function countInDoubt(db: Sqlite): number {
  return db.get<{ readonly count: number }>(`SELECT count(*) AS count FROM ${IN_DOUBT}`)?.count ?? 0;
}

export function findSettlement(db: Sqlite, runId: string): RunSettlement | null {
  const row = db.get<RunRow>("SELECT record FROM run_settlements WHERE run_id = :runId", { runId });
  return row === null ? null : settlementOf(row);
}

/** What was decided about a run in doubt, once, with its entry in the chain. */
export function settle(
  { db, recordAct }: { readonly db: Sqlite; readonly recordAct: RecordAct },
  settled: SettledRun,
): Result<void, WorkRefusal> {
  const { settlement } = settled;
  const { runId, choice } = settlement;
  const row = db.get<RunRow>("SELECT record FROM work_runs WHERE run_id = :runId", { runId });
  if (row === null) return err({ code: "run_unknown", runId });
  const run = runOf(row);
  if (run.status !== "in_doubt") return err({ code: "run_not_in_doubt", runId, status: run.status });
  const before = findSettlement(db, runId);
  if (before !== null) return err({ code: "run_settled", runId, choice: before.choice });
  const record = settlementText(settlement);
  db.run("INSERT INTO run_settlements (run_id, choice, record) VALUES (:runId, :choice, :record)", {
    runId,
    choice,
    record,
  });
  recordAct(settledDraft(run, settled));
  return ok();
}

export function settlementOf({ record }: RunRow): RunSettlement {
  const kept = "WSTORE-03 a kept decision is whole";
  return whole(runSettlementSchema.safeParse(wholeJson(record, kept)).data, kept);
}

/** The request of a run comes and goes with the question it asks, in the transaction of the run. */

type Changing = { readonly before: RunRecord; readonly change: RunChange };

/** What nobody waits for any more is declined, by whoever ended the run or by Silas itself; what was decided stays so. */
export function leaveQuestion(parts: ApprovalStoreParts, { before, change }: Changing): void {
  const { run, at, actor } = change;
  const asked = before.question?.requestId;
  const left = asked === undefined || asked === run.question?.requestId ? null : findRequest(parts.db, asked);
  if (left?.state !== "pending") return;
  const { requestId, planHash } = left;
  // One whose time is over meanwhile is ended as that, by whoever looks next.
  declineWithin(parts, { requestId, planHash, at, actor });
}

export function askWithin(
  parts: ApprovalStoreParts,
  { run, request }: { readonly run: RunRecord; readonly request: KeptRequest },
): Result<void, RequestRefusal> {
  assert(request.requestId === run.question?.requestId, "WORK-24 a run waits for the request it asks");
  const proposed = proposeWithin(parts, request);
  if (!proposed.ok) return proposed;
  const { requestId } = proposed.value.request;
  return proposed.value.isNew ? ok() : err({ code: "request_unknown", requestId });
}
