import { assert, err, ok, type Result } from "#base";
import {
  type ApprovalUse,
  beginsRun,
  decidedOf,
  type KeptRequest,
  type KeyError,
  type RequestRefusal,
  type SpendRefusal,
  type StoredToken,
} from "#model";
import type { Queue } from "#engine";
import type { AlsoGranted, MadeDecision, Spending } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { newestLimit } from "../autonomy/autonomy-store.ts";
import { limitDrafts } from "../autonomy/limit-drafts.ts";
import { outcomeDrafts, undoKeptDraft } from "../batches/drafts.ts";
import { keyStanding } from "../keys/key-registry.ts";
import type { Sqlite } from "../sqlite.ts";
import { spentDraft, standingDraft } from "./drafts.ts";
import { RECORDED_USES_SQL } from "./recorded-uses.ts";
import {
  askedParams,
  isAsked,
  type Opening,
  openingOf,
  type RequestRow,
  REQUESTS_SQL,
  sameToken,
  tokenOf,
  tokenParams,
  type TokenRow,
} from "./rows.ts";

export type ApprovalStoreParts = {
  readonly db: Sqlite;
  readonly recordAct: RecordAct;
  readonly queue: Pick<Queue, "send">;
};

type Refused = RequestRefusal | SpendRefusal | KeyError;

/**
 * Inside one transaction that holds the write lock from its first statement: count, insert, begin, close, record, tell.
 * INVARIANT: the count is that of the rows under the signed nonce and of the chain, whichever is more, and the key of the
 * rows is unique; nothing that a restored or edited row says gives a use back. Whatever is refused on the way rolls all of it back, further approvals of
 * the same decision with it. [APPR-16, APPR-17, WSTORE-04]
 */
export function spendWithin(parts: ApprovalStoreParts, spending: Spending): Result<ApprovalUse, Refused> {
  const { db, recordAct } = parts;
  const { judged, at, actor, also } = spending;
  const closed = keepAndClose(db, spending);
  if (!closed.ok) return closed;
  const use = recordUse(parts, spending);
  if (!use.ok) return use;
  recordAct(spentDraft(spending, use.value));
  const limits = limitDrafts({ spending, newest: (key) => newestLimit(db, key) });
  if (!limits.ok) return limits;
  for (const draft of limits.value) recordAct(draft);
  const outcomes = judged === null ? [] : outcomeDrafts(judged, { outcome: "approved", at, actor });
  for (const draft of outcomes) recordAct(draft);
  for (const granted of also) {
    const kept = keepFurther(parts, { spending, granted });
    if (!kept.ok) return kept;
  }
  if (judged !== null) nameTokens(db, { ...spending, judged });
  for (const granted of also) keepUndo(db, { spending, granted });
  tellDecided(parts, { spending, request: judged ?? requestOfToken(db, spending.token.tokenId) });
  return use;
}

/**
 * Keeps the signed token and closes the request that was judged. Most rows are as they were judged, to the letter: then
 * one statement compares the row and closes it, and reads it once. Any other row is read, to say why it is refused.
 */
function keepAndClose(db: Sqlite, { token, judged, at, actor }: Spending): Result<void, Refused> {
  const kept = keepSigned(db, token);
  if (judged === null) return kept;
  const closing = { judged, token, at, actor };
  if (kept.ok && closeIfAsked(db, closing)) return kept;
  const open = stillJudged(db, closing);
  if (!open.ok) return open;
  if (kept.ok) closeRequest(db, closing);
  return kept;
}

type Closing = Judged & Pick<Spending, "actor">;

/** Whether the row was open and asked exactly this, and is closed now. */
function closeIfAsked(db: Sqlite, { judged, token, at, actor }: Closing): boolean {
  const asked = askedParams(judged);
  if (asked === null || asked.plan_hash !== token.planHash) return false;
  const closed = db.run(
    `UPDATE pending_decisions SET state = 'approved', decided_at = :at, decided_by = :actor, token_id = :tokenId
     WHERE request_id = :request_id AND state = 'pending' AND (expires_at IS NULL OR expires_at > :at)
       AND kind = :kind AND plan_hash = :plan_hash AND work_item_id = :work_item_id AND risk_level = :risk_level
       AND projection = :projection AND markdown = :markdown AND proposed_by = :proposed_by AND card = :card`,
    { ...asked, at, actor: JSON.stringify(actor), tokenId: token.tokenId },
  );
  return closed === 1;
}

/**
 * The row is the one that was judged, and still waits: neither what it asks nor the card that was shown has changed since.
 * Asked inside the transaction, since somebody else may have written to the file in between. [T7]
 */
function stillJudged(db: Sqlite, { judged, token, at }: Judged): Result<void, Refused> {
  const { requestId } = judged;
  const row = db.get<RequestRow>(`${REQUESTS_SQL} WHERE d.request_id = :requestId`, { requestId });
  const open = stillOpen(row === null ? null : openingOf(row), { requestId, planHash: token.planHash, at });
  if (!open.ok) return open;
  return row !== null && isAsked(row, judged) ? ok() : err({ code: "decision_changed" });
}

type Judged = Pick<Spending, "token" | "at"> & { readonly judged: KeptRequest };
type DecidedRequest = Pick<KeptRequest, "requestId" | "kind" | "projection">;

/** An approval that is used without a request is for a repair, or undoes a batch: the run is told of alone. [WORK-06] [FLOW-06] */
function tellDecided(
  { queue }: ApprovalStoreParts,
  { spending, request }: { readonly spending: Spending; readonly request: DecidedRequest | null },
): void {
  // Nothing can begin without the decision that granted it.
  if (request === null) return;
  const { judged, attemptLineage: runId, workItemId, at, actor } = spending;
  const run = judged === null || beginsRun(request) ? { runId, workItemId } : undefined;
  queue.send(decidedOf({ requestId: request.requestId, kind: request.kind, at, actor, run }), at);
}

/** The request whose decision gave this approval. */
function requestOfToken(db: Sqlite, tokenId: string): DecidedRequest | null {
  return db.get<DecidedRequest>(
    `SELECT d.request_id AS requestId, d.kind, '' AS projection
     FROM decision_tokens g CROSS JOIN pending_decisions d ON d.request_id = g.request_id WHERE g.token_id = :tokenId`,
    { tokenId },
  );
}

type Used = Pick<Spending, "token" | "workItemId" | "contentHash" | "attemptLineage" | "at">;

/** Of a token that is kept. */
function recordUse({ db }: ApprovalStoreParts, used: Used): Result<ApprovalUse, Refused> {
  const { token, workItemId, contentHash, attemptLineage, at } = used;
  const useNumber = usesBefore(db, token) + 1;
  if (useNumber > token.maxExecutions) return err({ code: "uses_exhausted", maxExecutions: token.maxExecutions });
  db.run(
    `INSERT INTO attempt_lineages (lineage_id, work_item_id, content_hash, state, started_at)
     VALUES (:lineageId, :workItemId, :contentHash, 'granted', :at)`,
    { lineageId: attemptLineage, workItemId, contentHash, at },
  );
  db.run(
    `INSERT INTO approval_uses (nonce, use_number, content_hash, lineage_id, used_at)
     VALUES (:nonce, :useNumber, :contentHash, :lineageId, :at)`,
    { nonce: token.nonce, useNumber, contentHash, lineageId: attemptLineage, at },
  );
  return ok({ nonce: token.nonce, useNumber, contentHash, attemptLineage, at });
}

/** A row that was taken away gives no use back: the chain still tells of it. */
function usesBefore(db: Sqlite, { nonce, tokenId }: StoredToken): number {
  const counted = db.get<{ readonly uses: number }>(
    `SELECT max((SELECT count(*) FROM approval_uses WHERE nonce = :nonce), (${RECORDED_USES_SQL})) AS uses`,
    { nonce, tokenId },
  );
  assert(counted !== null, "a count is a row");
  return counted.uses;
}

function closeRequest(db: Sqlite, { judged, token, at, actor }: Closing): void {
  const { requestId } = judged;
  db.run(
    `UPDATE pending_decisions SET state = 'approved', decided_at = :at, decided_by = :actor, token_id = :tokenId
     WHERE request_id = :requestId`,
    { requestId, at, actor: JSON.stringify(actor), tokenId: token.tokenId },
  );
}

/** Every token of the decision, in its order. */
function nameTokens(db: Sqlite, { judged, token, also }: Spending & { readonly judged: KeptRequest }): void {
  const { requestId } = judged;
  [token, ...also.map((granted) => granted.token)].forEach(({ tokenId }, position) => {
    db.run("INSERT INTO decision_tokens (request_id, position, token_id) VALUES (:requestId, :position, :tokenId)", {
      requestId,
      position,
      tokenId,
    });
  });
}

type Further = { readonly spending: Spending; readonly granted: AlsoGranted };

/** A further approval of the same decision, used at this moment or kept for later. */
function keepFurther(parts: ApprovalStoreParts, { spending, granted }: Further): Result<void, Refused> {
  const { token, workItemId, use } = granted;
  const kept = keepSigned(parts.db, token);
  if (!kept.ok) return kept;
  if (use === null) {
    const draft = granted.undo === undefined ? standingDraft : undoKeptDraft;
    parts.recordAct(draft(spending, granted));
    return kept;
  }
  const one = { ...spending, ...use, token, workItemId };
  const used = recordUse(parts, one);
  if (used.ok) parts.recordAct(spentDraft(one, used.value));
  return used.ok ? ok() : used;
}

/** Before anything of a batch runs, what takes it back is there. [UNDO-01] [RISK-05] */
function keepUndo(db: Sqlite, { spending, granted }: Further): void {
  const { judged, attemptLineage: runId } = spending;
  const { undo, token } = granted;
  if (undo === undefined || judged === null) return;
  const { requestId } = judged;
  db.run(
    `INSERT INTO batch_undos (run_id, request_id, token_id, reverse, window_seconds)
     VALUES (:runId, :requestId, :tokenId, :reverse, :windowSeconds)`,
    { runId, requestId, tokenId: token.tokenId, reverse: undo.reverse, windowSeconds: undo.windowSeconds },
  );
}

function keepSigned(db: Sqlite, token: StoredToken): Result<void, SpendRefusal | KeyError> {
  const key = usableKey(db, token);
  return key.ok ? keepToken(db, token) : key;
}

/** Asked again inside the transaction: a key or its device may have gone since the signature was checked. [APPR-11] */
function usableKey(db: Sqlite, { keyId }: StoredToken): Result<void, KeyError> {
  const standing = keyStanding(db, keyId);
  return standing === "enrolled" ? ok() : err({ code: `key_${standing}`, keyId });
}

/** A token is kept once. What comes under the same id or nonce with other bytes is not the token that was kept. */
function keepToken(db: Sqlite, token: StoredToken): Result<void, SpendRefusal> {
  const kept = db.run(
    `INSERT INTO approval_tokens (token_id, nonce, plan_hash, key_id, max_executions, token)
     VALUES (:token_id, :nonce, :plan_hash, :key_id, :max_executions, :token) ON CONFLICT DO NOTHING`,
    tokenParams(token),
  );
  if (kept === 1) return ok();
  const rows = db.all<TokenRow>("SELECT * FROM approval_tokens WHERE token_id = :tokenId OR nonce = :nonce", {
    tokenId: token.tokenId,
    nonce: token.nonce,
  });
  const isKept = rows.length > 0 && rows.every((row) => sameToken(tokenOf(row), token));
  return isKept ? ok() : err({ code: "token_differs", tokenId: token.tokenId });
}

/**
 * Whether a request may still be decided, and about this plan. Asked inside the transaction that decides, so that of
 * two decisions at once one finds the other.
 */
export function stillOpen<R extends Opening>(
  found: R | null,
  { requestId, planHash, at }: Omit<MadeDecision, "actor">,
): Result<R, RequestRefusal> {
  if (found === null) return err({ code: "request_unknown", requestId });
  const { state, decidedAt, decidedBy, replacedBy } = found;
  if (state !== "pending") {
    assert(decidedAt !== null, "what is decided says when");
    return err({ code: "already_decided", requestId, state, decidedAt, decidedBy, replacedBy });
  }
  if (found.expiresAt !== null && found.expiresAt <= at) {
    const over = { state: "expired", decidedAt: found.expiresAt, decidedBy: null, replacedBy: null } as const;
    return err({ code: "already_decided", requestId, ...over });
  }
  if (found.planHash !== planHash) return err({ code: "plan_differs", requestId, planHash: found.planHash });
  return ok(found);
}
