import { assert, instantFromMs, msOfInstant, ok, type Instant, type Result, type Sha256Hex } from "#base";
import type { AuditDraft, ModelFailure, ModelPurpose, Taint } from "#model";
import type { Database, RecordAct } from "../database.ts";
import { faultFrom } from "../fault.ts";

type LedgerParts = { readonly db: Database; readonly recordAct: RecordAct };

/** A call that is about to be made. */
type CallReservation = {
  readonly callId: string;
  readonly purpose: ModelPurpose;
  readonly promptVersion: number;
  /** The turn, consultation or run that it belongs to. */
  readonly subjectId: string | null;
  readonly scopeId: string;
  readonly taint: Taint;
  /** The most that it can come to. */
  readonly tokens: number;
  /** How many tokens all calls of 24 hours may come to. */
  readonly tokensPerDay: number;
};
type SentQuestion = {
  readonly callId: string;
  /** The message that it answers, as the audit chain names it. */
  readonly messageId: string | null;
  readonly host: string;
  readonly model: string;
  readonly bytes: number;
  readonly sha256: Sha256Hex;
  readonly keyRef: string | null;
  readonly taint: Taint;
};
type ReceivedAnswer = {
  readonly callId: string;
  readonly messageId: string | null;
  readonly bytesReceived: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
};
type FailedCall = { readonly callId: string; readonly messageId: string | null; readonly reason: ModelFailure };

export type ModelLedger = ReturnType<typeof createModelLedger>;

const DAY_MS = 86_400_000;
const SYSTEM = { kind: "system" } as const;

/**
 * The one record of model calls, in `silas.db`. INVARIANT: a call is reserved in one statement that compares it with the
 * budget of the day, so that no number of calls at once goes over it; what leaves is recorded, with its audit entry,
 * before it does. Methods throw a `Fault` when the database fails.
 */
export function createModelLedger({ db, recordAct }: LedgerParts) {
  let isRecovered = false;
  return {
    /** False when the day's tokens do not cover it; then the call must not be made. [BUD-06] */
    async reserve(call: CallReservation, at: Instant): Promise<boolean> {
      return committed(db, () => {
        // Calls that an ended process left open: a question that left may have been worked on, so its tokens stay used.
        if (!isRecovered) closeOpen(db, at);
        isRecovered = true;
        return reserve(db, call, at);
      });
    },
    /** What is about to leave. */
    async sent(question: SentQuestion, at: Instant): Promise<void> {
      const { callId, host, model, bytes, sha256 } = question;
      committed(db, () => {
        const changed = db.run(SENT, { callId, host, model, bytes, sha256 });
        assert(changed === 1, "a question leaves once, for a call that was reserved");
        recordAct(sentDraft(question, at));
      });
    },
    async answered(
      { callId, messageId, bytesReceived, tokensIn, tokensOut }: ReceivedAnswer,
      at: Instant,
    ): Promise<void> {
      committed(db, () => {
        db.run(ANSWERED, { callId, at, tokens: tokensIn + tokensOut, bytesReceived });
        const received = { bytes_received: bytesReceived, tokens_in: tokensIn, tokens_out: tokensOut };
        const data = { call_id: callId, message_id: messageId, ...received };
        recordAct({ event: "model_answered", data, at, actor: SYSTEM });
      });
    },
    /** Answers with the tokens that stay used: all that were reserved, unless nothing can have been worked on. */
    async failed({ callId, messageId, reason }: FailedCall, at: Instant): Promise<number> {
      return committed(db, () => {
        const call = db.get<{ readonly state: string; readonly tokens: number }>(FIND, { callId });
        assert(call !== null, "a call that fails was reserved");
        const tokens = call.state === "reserved" || UNWORKED.has(reason) ? 0 : call.tokens;
        db.run(FAILED, { callId, at, tokens });
        const data = { call_id: callId, message_id: messageId, reason };
        if (call.state === "asked") recordAct({ event: "model_gave_nothing", data, at, actor: SYSTEM });
        return tokens;
      });
    },
  };
}

/** Failures after which the provider has not worked on the question. */
const UNWORKED: ReadonlySet<ModelFailure> = new Set([
  "model_absent",
  "model_key_missing",
  "model_key_refused",
  "model_unreachable",
  "model_redirects",
  "model_busy",
  "model_refused",
  "model_question_too_large",
  "model_not_recorded",
]);

const SINCE = "SELECT coalesce(sum(tokens), 0) AS tokens FROM model_calls WHERE reserved_at >= :since";
const RESERVE = `INSERT INTO model_calls
    (call_id, purpose, prompt_version, subject_id, scope_id, taint, state, tokens_reserved, tokens, reserved_at)
  SELECT :callId, :purpose, :promptVersion, :subjectId, :scopeId, :taint, 'reserved', :tokens, :tokens, :at
  WHERE :tokens + (${SINCE}) <= :tokensPerDay`;
const FIND = "SELECT state, tokens FROM model_calls WHERE call_id = :callId";
const SENT = `UPDATE model_calls SET state = 'asked', host = :host, model = :model, bytes_sent = :bytes, sha256 = :sha256
  WHERE call_id = :callId AND state = 'reserved'`;
const ANSWERED = `UPDATE model_calls
  SET state = 'answered', ended_at = :at, tokens = :tokens, bytes_received = :bytesReceived
  WHERE call_id = :callId AND state = 'asked'`;
const FAILED = `UPDATE model_calls SET state = 'failed', ended_at = :at, tokens = :tokens
  WHERE call_id = :callId AND ended_at IS NULL`;
const CLOSE_OPEN = `UPDATE model_calls
  SET state = 'interrupted', ended_at = :at, tokens = CASE state WHEN 'asked' THEN tokens ELSE 0 END
  WHERE ended_at IS NULL AND reserved_at > ''`;

const closeOpen = (db: Database, at: Instant): number => db.run(CLOSE_OPEN, { at });

function reserve(db: Database, { purpose, promptVersion, subjectId, scopeId, ...call }: CallReservation, at: Instant) {
  const { callId, taint, tokens, tokensPerDay } = call;
  const since = instantFromMs(msOfInstant(at) - DAY_MS);
  assert(since.ok, "a day before now is an instant");
  const subject = { purpose, promptVersion, subjectId, scopeId };
  return db.run(RESERVE, { callId, ...subject, taint, tokens, tokensPerDay, at, since: since.value }) === 1;
}

function sentDraft({ callId, messageId, bytes, keyRef, ...sent }: SentQuestion, at: Instant): AuditDraft {
  const { host, model, sha256, taint } = sent;
  const ids = { call_id: callId, message_id: messageId };
  const data = { ...ids, host, model, bytes_sent: bytes, sha256, taint, key_ref: keyRef };
  return { event: "model_asked", data, at, actor: SYSTEM };
}

function committed<T>(db: Database, work: () => T): T {
  try {
    const done: Result<T, never> = db.transaction(() => ok(work()));
    assert(done.ok, "nothing is refused here");
    return done.value;
  } catch (cause) {
    throw faultFrom(cause);
  }
}
