import { err, LIMITS, ok, parseStrictJson, type Instant, type Result } from "#base";
import {
  TAINTS,
  turnFromWire,
  turnToWire,
  type KeptMessage,
  type Turn,
  type TurnChange,
  type TurnRefusal,
  isTurnOver,
  type AuditDraft,
} from "#model";
import type { TurnStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue, readable, whole } from "../store-fault.ts";

type TurnStoreParts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/** Turns on a migrated `silas.db`. Every change is one transaction with its audit entry. */
export function createTurnStore(parts: TurnStoreParts): TurnStore {
  const { db } = parts;
  return {
    find: async (messageId) => guardedValue(() => find(db, messageId)),
    of: async (messageIds) =>
      guardedValue(() =>
        readable(
          db.all<TurnRow>(`${SELECT} WHERE message_id IN (SELECT value FROM json_each(:ids)) LIMIT :limit`, {
            ids: JSON.stringify(messageIds),
            limit: LIMITS.pageRows,
          }),
          turnOf,
        ),
      ),
    move: async (change) => guarded(() => db.transaction(() => move(parts, change))),
  };
}

type TurnRow = { readonly turn: string; readonly told_taint: string | null };

/** With what the chain tells of its end: a reply is trusted as far as row and chain both say. [T15] */
const SELECT = `SELECT turn, (SELECT json_extract(e.entry, '$.data.taint') FROM audit_entries e
    WHERE e.subject_kind = 'turn' AND e.subject_id = turns.message_id
    ORDER BY e.seq LIMIT 1) AS told_taint
  FROM turns`;

function turnOf({ turn: text, told_taint: told }: TurnRow): Turn {
  const parsed = parseStrictJson(text);
  const turn = whole(turnFromWire(parsed.ok ? parsed.value : null), "a kept turn is whole");
  if (turn.state !== "ended") return turn;
  const ranks = [turn.taint, told].map((taint) => TAINTS.findIndex((one) => one === taint));
  return { ...turn, taint: ranks.includes(-1) ? "external" : (TAINTS[Math.max(...ranks)] ?? "external") };
}

function find(db: Sqlite, messageId: string): Turn | null {
  const row = db.get<TurnRow>(`${SELECT} WHERE message_id = :messageId`, { messageId });
  return row === null ? null : turnOf(row);
}

function move({ db, recordAct }: TurnStoreParts, change: TurnChange): Result<Turn, TurnRefusal> {
  const { turn } = change;
  const { messageId, state, askedAt, tokensUsed } = turn;
  const kept = find(db, messageId);
  if (kept === null) return err({ code: "turn_unknown", messageId });
  if (!mayMove(kept, change)) return err({ code: "turn_moved_on", messageId, state: kept.state });
  db.run(
    `UPDATE turns SET state = :state, asked_at = :askedAt, tokens_used = :tokensUsed, turn = :turn
     WHERE message_id = :messageId`,
    { messageId, state, askedAt, tokensUsed, turn: textOf(turn) },
  );
  for (const draft of movedDrafts(change)) recordAct(draft);
  return ok(turn);
}

const textOf = (turn: Turn): string => JSON.stringify(turnToWire(turn));

type Begun = { readonly message: Pick<KeptMessage, "messageId" | "scopeId">; readonly at: Instant };

/** Inside of the transaction that accepts the message. */
export function beginTurnWithin(db: Sqlite, { message, at }: Begun): void {
  const { messageId, scopeId } = message;
  const last = db.get<{ readonly last: number | null }>(
    "SELECT MAX(turn_number) AS last FROM turns WHERE scope_id = :scopeId",
    { scopeId },
  );
  const turn = newTurn({ message, turnNumber: (last?.last ?? 0) + 1 }, at);
  db.run(
    `INSERT INTO turns (message_id, scope_id, turn_number, state, tokens_used, turn)
     VALUES (:messageId, :scopeId, :turnNumber, 'waiting', 0, :turn)`,
    { messageId, scopeId, turnNumber: turn.turnNumber, turn: textOf(turn) },
  );
}

const SYSTEM = { kind: "system" } as const;

/** An end is recorded; what comes before it says so by what leaves for the model. */
function movedDrafts({ turn, at }: TurnChange): readonly AuditDraft[] {
  const { messageId, state, taint, plan, failure } = turn;
  if (state === "ended") {
    const data = { message_id: messageId, taint: taint ?? "external", request_id: plan?.request_id ?? null } as const;
    return [{ event: "turn_ended", data, at, actor: SYSTEM }];
  }
  if (state !== "failed" || failure === null) return [];
  return [{ event: "turn_failed", data: { message_id: messageId, reason: failure }, at, actor: SYSTEM }];
}

/** What has ended moves no further, and nobody moves it from where it is not. */
const mayMove = (kept: Turn, { from }: TurnChange): boolean => kept.state === from && !isTurnOver(kept);

type NewTurn = { readonly message: Pick<KeptMessage, "messageId" | "scopeId">; readonly turnNumber: number };

const newTurn = ({ message: { messageId, scopeId }, turnNumber }: NewTurn, beganAt: Turn["beganAt"]): Turn => ({
  messageId,
  scopeId,
  turnNumber,
  state: "waiting",
  beganAt,
  askedAt: null,
  endedAt: null,
  answer: null,
  reply: null,
  taint: null,
  leftOut: [],
  tokensUsed: 0,
  plan: null,
  failure: null,
});
