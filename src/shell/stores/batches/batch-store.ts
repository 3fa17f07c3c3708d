import { assert, err, ok, type Result } from "#base";
import {
  batchProposalSchema,
  type ApprovalUse,
  type BatchProposal,
  type KeyError,
  type RequestRefusal,
  type SpendRefusal,
} from "#model";
import type { BatchSeries, BatchStore, KeptUndo, NextBatch, Undoing } from "#ports";
import { spendWithin, type ApprovalStoreParts } from "../approvals/spend.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue, readable, whole, wholeJson } from "../store-fault.ts";
import { undoneDraft } from "./drafts.ts";
import { addItems, HOLDS, itemsOf } from "./goal-items.ts";

/** Ways back and series of batches on a migrated `silas.db`. */
export function createBatchStore(parts: ApprovalStoreParts): BatchStore {
  const { db } = parts;
  return {
    findUndo: async (runId) => guardedValue(() => findUndo(db, runId)),
    beginUndo: async (undoing) => guarded(() => db.transaction(() => beginUndo(parts, undoing))),
    addSeries: async (series) => guarded(() => db.transaction(() => ok(addSeries(db, series)))),
    nextOfSeries: async () => guardedValue(() => readable(db.all<SeriesRow>(NEXT_SQL), nextOf)),
    itemsOf: async (goalId) => guardedValue(() => itemsOf(db, goalId)),
    addItems: async (found) =>
      guarded(() =>
        db.transaction(() => {
          addItems(db, found);
          for (const series of found.series) insertSeries(db, series);
          return ok();
        }),
      ),
    markAsked: async ({ seriesId, position }, requestId) =>
      guardedValue(
        () =>
          void db.run(
            `UPDATE batch_series SET request_id = :requestId
             WHERE series_id = :seriesId AND position = :position`,
            { seriesId, position, requestId },
          ),
      ),
  };
}

type UndoRow = {
  readonly run_id: string;
  readonly request_id: string;
  readonly token_id: string;
  readonly reverse: string;
  readonly window_seconds: number;
  readonly undo_run_id: string | null;
};

function findUndo(db: Sqlite, runId: string): KeptUndo | null {
  const row = db.get<UndoRow>("SELECT * FROM batch_undos WHERE run_id = :runId OR undo_run_id = :runId", { runId });
  if (row === null) return null;
  const { run_id, request_id: requestId, token_id: tokenId, reverse, window_seconds, undo_run_id } = row;
  return { runId: run_id, requestId, tokenId, reverse, windowSeconds: window_seconds, undoRunId: undo_run_id };
}

/** Null when somebody else began it: then there is a run, and no second use. */
function beginUndo(
  parts: ApprovalStoreParts,
  { runId, spending, items }: Undoing,
): Result<ApprovalUse | null, RequestRefusal | SpendRefusal | KeyError> {
  const kept = findUndo(parts.db, runId);
  assert(kept !== null && kept.runId === runId, "UNDO-01 what is taken back has its way back");
  if (kept.undoRunId !== null) return ok(null);
  const { tokenId } = spending.token;
  if (tokenId !== kept.tokenId) return err({ code: "token_differs", tokenId });
  const used = spendWithin(parts, spending);
  if (!used.ok) return used;
  parts.db.run("UPDATE batch_undos SET undo_run_id = :undoRunId WHERE run_id = :runId", {
    runId,
    undoRunId: spending.attemptLineage,
  });
  parts.recordAct(undoneDraft(kept, { spending, items }));
  return used;
}

function addSeries(db: Sqlite, series: BatchSeries): void {
  db.run("DELETE FROM batch_series WHERE goal_id = :goalId", { goalId: series.goalId });
  insertSeries(db, series);
}

function insertSeries(db: Sqlite, { seriesId, goalId, batches }: BatchSeries): void {
  for (const [position, batch] of batches.entries()) {
    db.run(
      `INSERT INTO batch_series (series_id, position, goal_id, payload)
       VALUES (:seriesId, :position, :goalId, :payload)`,
      { seriesId, position, goalId, payload: JSON.stringify(batch) },
    );
  }
}

type SeriesRow = { readonly series_id: string; readonly position: number; readonly payload: string };

// One that nobody decided in time holds the others back until it is asked about again: an expiry is no answer.
const NEXT_SQL = `SELECT s.series_id, s.position, s.payload FROM batch_series s
  WHERE s.request_id IS NULL
    AND s.position = (SELECT min(f.position) FROM batch_series f WHERE f.series_id = s.series_id AND f.request_id IS NULL)
    AND NOT EXISTS (
      SELECT 1 FROM batch_series b JOIN pending_decisions d ON d.request_id = b.request_id
      WHERE b.series_id = s.series_id AND ${HOLDS})
  ORDER BY s.series_id`;

export function nextOf({ series_id: seriesId, position, payload }: SeriesRow): NextBatch {
  const kept = "BATCH-02 a kept batch is whole";
  const batch: BatchProposal = whole(batchProposalSchema.safeParse(wholeJson(payload, kept)).data, kept);
  return { seriesId, position, batch };
}
