import { err, LIMITS, ok, type Result, parseStrictJson } from "#base";
import {
  letThroughOf,
  userMessageOf,
  type Endorsing,
  type KeptMessage,
  type MessageQuery,
  type MessageRefusal,
  type Reception,
  type Settlement,
  refusedClaim,
  type AuditActor,
  type AuditDraft,
  keptMessageFromWire,
  keptMessageToWire,
  TAINTS,
  type Taint,
} from "#model";
import type { Queue } from "#engine";
import type { MessageStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { spendWithin } from "../nonces/nonce-store.ts";
import type { Sqlite, SqlParams } from "../sqlite.ts";
import { guarded, guardedValue, readable, whole } from "../store-fault.ts";
import { beginTurnWithin } from "../turns/turn-store.ts";

type MessageStoreParts = {
  readonly db: Sqlite;
  readonly recordAct: RecordAct;
  readonly queue: Pick<Queue, "send">;
};

/** Messages on a migrated `silas.db`. Every change is one transaction with its audit entry. */
export function createMessageStore(parts: MessageStoreParts): MessageStore {
  const { db } = parts;
  return {
    receive: async (reception) => guarded(() => db.transaction(() => ok(receive(parts, reception)))),
    settle: async (settlement) => guarded(() => db.transaction(() => settle(parts, settlement))),
    find: async (messageId) => guardedValue(() => find(db, messageId)),
    list: async (query) => guardedValue(() => list(db, query)),
    waitingFor: async (planHash) => guardedValue(() => waitingFor(db, planHash)),
    endorse: async (endorsing) => guarded(() => db.transaction(() => endorse(parts, endorsing))),
  };
}

const TOLD = "FROM audit_entries t WHERE t.subject_kind = 'message' AND t.subject_id = m.message_id";

/** With what the chain tells: a row that was raised, or an endorsement that was put in, was not Silas's doing. [T15] */
const SELECT = `SELECT m.*, e.token_id, e.endorsed_at,
    (SELECT json_extract(t.entry, '$.data.taint') ${TOLD} AND t.event = 'message_received' ORDER BY t.seq LIMIT 1)
      AS told_taint,
    (SELECT json_extract(t.entry, '$.data.token_id') ${TOLD} AND t.event = 'message_endorsed' ORDER BY t.seq LIMIT 1)
      AS told_token_id
  FROM messages m LEFT JOIN message_endorsements e ON e.message_id = m.message_id`;

function find(db: Sqlite, messageId: string): KeptMessage | null {
  const row = db.get<MessageRow>(`${SELECT} WHERE m.message_id = :messageId`, { messageId });
  return row === null ? null : messageOf(row);
}

/** The condition on both states is that of the index. */
const WAITING = `${SELECT} WHERE state IN ('received', 'waiting') AND state = 'waiting'
  AND json_extract(gate, '$.plan_hash') = :planHash ORDER BY m.message_id LIMIT 1`;

function waitingFor(db: Sqlite, planHash: string): KeptMessage | null {
  const row = db.get<MessageRow>(WAITING, { planHash });
  return row === null ? null : messageOf(row);
}

/** Sorts behind every id. */
const BEHIND = "~";

function list(db: Sqlite, { scopeId, before, limit }: MessageQuery): readonly KeptMessage[] {
  const rows = db.all<MessageRow>(
    `${SELECT} WHERE scope_id = :scopeId AND m.message_id < :before
     ORDER BY m.message_id DESC LIMIT :limit`,
    { scopeId, before: before ?? BEHIND, limit: Math.min(limit, LIMITS.pageRows) },
  );
  return readable(rows, messageOf);
}

function receive({ db, recordAct, queue }: MessageStoreParts, { first, replay, actor }: Reception): KeptMessage {
  const isFirst = replay === null || spendWithin(db, replay.spending) === "fresh";
  const message = isFirst ? first : replay.message;
  const params = messageParams(message);
  const columns = Object.keys(params);
  db.run(
    `INSERT INTO messages (${columns.join(", ")}) VALUES (${columns.map((name) => `:${name}`).join(", ")})`,
    params,
  );
  for (const draft of receivedDrafts(message, actor)) recordAct(draft);
  queue.send(userMessageOf(message, message.receivedAt), message.receivedAt);
  return message;
}

function settle(
  { db, recordAct, queue }: MessageStoreParts,
  settlement: Settlement,
): Result<KeptMessage, MessageRefusal> {
  const { messageId, state, text, gate } = settlement;
  const found = find(db, messageId);
  if (found === null) return err({ code: "message_unknown", messageId });
  if (!isOpen(found, state)) return err({ code: "message_settled", messageId });
  db.run("UPDATE messages SET state = :state, text = :text, gate = :gate WHERE message_id = :messageId", {
    messageId,
    state,
    text,
    gate: gate === null ? null : JSON.stringify(gate),
  });
  for (const draft of settledDrafts(settlement)) recordAct(draft);
  const { at } = settlement;
  if (state === "accepted") beginTurnWithin(db, { message: found, at });
  // The message of its reception is settled; this one takes its place in the order now.
  if (state === "accepted" && found.state === "waiting") queue.send(letThroughOf(found, at), at);
  return ok({ ...found, state, text, gate });
}

function endorse({ db, recordAct }: MessageStoreParts, endorsing: Endorsing): Result<KeptMessage, MessageRefusal> {
  const { messageId, tokenId, at } = endorsing;
  const found = find(db, messageId);
  if (found === null) return err({ code: "message_unknown", messageId });
  // One approval raises one message, and raising it twice changes nothing.
  if (found.endorsed !== null) return ok(found);
  db.run("INSERT INTO message_endorsements (message_id, token_id, endorsed_at) VALUES (:messageId, :tokenId, :at)", {
    messageId,
    tokenId,
    at,
  });
  recordAct(endorsedDraft(endorsing));
  return ok({ ...found, taint: "owner", endorsed: { token_id: tokenId, at } });
}

/** The audit entries of the message store. */

/** That it came; and what was claimed about it and not believed. */
function receivedDrafts(message: KeptMessage, actor: AuditActor): readonly AuditDraft[] {
  const { messageId, channel, taint, origin, signed, receivedAt: at } = message;
  const received: AuditDraft = {
    event: "message_received",
    data: { message_id: messageId, channel, taint, key_id: origin === "signature" ? (signed?.key_id ?? null) : null },
    at,
    actor,
  };
  const refused = refusedClaim(origin);
  if (refused === null || signed === null) return [received];
  const data = { message_id: messageId, key_id: signed.key_id, reason: origin };
  const event = refused === "replay" ? "message_replay_refused" : "message_signature_refused";
  return [received, { event, data, at, actor }];
}

/** What waits for a decision may still be decided, and nothing is asked for twice. */
const isOpen = (message: KeptMessage, next: Settlement["state"]): boolean =>
  message.state === "received" || (message.state === "waiting" && next !== "waiting");

/** A message that went through is not recorded twice. */
const settledDrafts = ({ messageId, state, at, actor }: Settlement): readonly AuditDraft[] =>
  state === "blocked" ? [{ event: "message_blocked", data: { message_id: messageId }, at, actor }] : [];

const endorsedDraft = ({ messageId, tokenId, at, actor }: Endorsing): AuditDraft => ({
  event: "message_endorsed",
  data: { message_id: messageId, token_id: tokenId },
  at,
  actor,
});

/** Rows of `messages` as the values of `#model`, and back. */

export type MessageRow = {
  readonly [column: string]: string | null;
};

const DOCUMENTS = new Set(["signed", "scrubbed", "sources", "gate"]);

/**
 * A row with what was decided about it since; a message that is no message any more is not shown with parts missing. It
 * is trusted as far as row and chain both say, and a decision about it counts if the chain tells of it. [T15]
 */
export function messageOf(found: MessageRow): KeptMessage {
  const { token_id: tokenId, endorsed_at: at, told_taint: told, told_token_id: toldTokenId, ...row } = found;
  const fields = Object.entries(row).map(([name, value]) => [name, DOCUMENTS.has(name) ? jsonOf(value) : value]);
  const isEndorsed = tokenId !== null && tokenId === toldTokenId;
  const message = keptMessageFromWire({
    ...Object.fromEntries(fields),
    endorsed: isEndorsed ? { token_id: tokenId, at } : null,
    taint: isEndorsed ? "owner" : lessTrusted(row["taint"] ?? null, told ?? null),
  });
  return whole(message, "MSG-01 a kept message is whole");
}

/** What one of them does not know is external. */
function lessTrusted(...taints: readonly (string | null)[]): Taint {
  const ranks = taints.map((taint) => TAINTS.findIndex((one) => one === taint));
  return ranks.includes(-1) ? "external" : (TAINTS[Math.max(...ranks)] ?? "external");
}

function messageParams(message: KeptMessage): SqlParams {
  const { endorsed: _endorsed, signed, scrubbed, sources, gate, ...plain } = keptMessageToWire(message);
  return {
    ...plain,
    signed: textOf(signed),
    scrubbed: textOf(scrubbed),
    sources: textOf(sources),
    gate: textOf(gate),
  };
}

const textOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function jsonOf(text: string | null): unknown {
  if (text === null) return null;
  const parsed = parseStrictJson(text);
  return parsed.ok ? parsed.value : undefined;
}
