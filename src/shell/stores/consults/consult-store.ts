import { err, LIMITS, ok, parseStrictJson, type Result } from "#base";
import {
  consultationFromWire,
  consultationToWire,
  consultMessage,
  isConsultOver,
  type ApprovalLapse,
  type ConsultChange,
  type Consultation,
  type ConsultRefusal,
} from "#model";
import type { Queue } from "#engine";
import type { ConsultStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue, readable, whole } from "../store-fault.ts";
import { lapseWithin } from "../approvals/lapse.ts";
import { runOf, type RunRow } from "../work/rows.ts";
import { begunDrafts, inOrder, isAsked, mayMove, movedDrafts } from "./drafts.ts";

type Parts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/** Consultations on a migrated `silas.db`. Every change is one transaction with its audit entry. */
export function createConsultStore(parts: Parts): ConsultStore {
  const { db } = parts;
  return {
    find: async (consultationId) => guardedValue(() => find(db, consultationId)),
    ofRun: async (runId) =>
      guardedValue(() =>
        inOrder(
          readable(
            db.all<Row>("SELECT consultation FROM consultations WHERE run_id = :runId ORDER BY number LIMIT :limit", {
              runId,
              limit: LIMITS.pageRows,
            }),
            consultationOf,
          ),
        ),
      ),
    move: async (change) => guarded(() => db.transaction(() => move(parts, change))),
  };
}

type Row = { readonly consultation: string };

function consultationOf({ consultation }: Row): Consultation {
  const parsed = parseStrictJson(consultation);
  return whole(consultationFromWire(parsed.ok ? parsed.value : null), "a kept consultation is whole");
}

function find(db: Sqlite, consultationId: string): Consultation | null {
  const row = db.get<Row>("SELECT consultation FROM consultations WHERE consultation_id = :consultationId", {
    consultationId,
  });
  return row === null ? null : consultationOf(row);
}

function move({ db, recordAct }: Parts, change: ConsultChange): Result<Consultation, ConsultRefusal> {
  const { consultation } = change;
  const { consultationId, state, askedAt, tokensUsed } = consultation;
  const kept = find(db, consultationId);
  if (kept === null) return err({ code: "consult_unknown", consultationId });
  if (!mayMove(kept, change)) return err({ code: "consult_moved_on", consultationId, state: kept.state });
  const reason = isAsked(change) ? lapseFor(db, change) : null;
  if (reason !== null) return err({ code: "approval_lapsed", runId: consultation.runId, reason });
  db.run(
    `UPDATE consultations SET state = :state, asked_at = :askedAt, tokens_used = :tokensUsed,
       consultation = :consultation WHERE consultation_id = :consultationId`,
    { consultationId, state, askedAt, tokensUsed, consultation: textOf(consultation) },
  );
  for (const draft of movedDrafts(change)) recordAct(draft);
  return ok(consultation);
}

/**
 * A run that has ended is over, and with it the time of its approval; another way for it is asked for as long as the key
 * counts that approved it.
 */
function lapseFor(db: Sqlite, { consultation, at }: ConsultChange): ApprovalLapse | null {
  const row = db.get<RunRow>("SELECT record FROM work_runs WHERE run_id = :runId", { runId: consultation.runId });
  if (row === null) return "approval_missing";
  const run = runOf(row);
  const reason = lapseWithin(db, { run, at });
  return reason === "approval_expired" && run.endedAt !== null ? null : reason;
}

const textOf = (consultation: Consultation): string => JSON.stringify(consultationToWire(consultation));

type Beginning = Parts & { readonly queue: Pick<Queue, "send"> };

/** Inside of the transaction that changes the run: there is a consultation with its question, or neither. [CONSULT-11] */
export function beginConsultWithin({ db, recordAct, queue }: Beginning, consultation: Consultation): void {
  const { consultationId, runId, number, state, askedAt, tokensUsed, beganAt } = consultation;
  db.run(
    `INSERT INTO consultations (consultation_id, run_id, number, state, asked_at, tokens_used, consultation)
     VALUES (:consultationId, :runId, :number, :state, :askedAt, :tokensUsed, :consultation)`,
    { consultationId, runId, number, state, askedAt, tokensUsed, consultation: textOf(consultation) },
  );
  for (const draft of begunDrafts(consultation)) recordAct(draft);
  if (isConsultOver(consultation)) return;
  queue.send(consultMessage(consultation), beganAt);
}
