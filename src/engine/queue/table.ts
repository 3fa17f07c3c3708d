/**
 * The table `queue`, inside a transaction that the caller has begun.
 *
 * A message is `ready` to be delivered, `behind` another one with the same order key, `leased`, or `dead`. What was
 * handled is deleted, and its id stays in `processed_messages`. A lease is a holder with a fence: the number of times the
 * message was leased, so that a holder which lost its lease settles nothing. [BUS-12]
 */
import { err, instantFromMs, msOfInstant, ok, parseStrictJson, type Instant, type Result } from "#base";
import {
  derivedProblem,
  isMessageKind,
  isSenderAllowed,
  KINDS,
  orderKeyOf,
  parseQueueMessage,
  queueMessageText,
  workItemOf,
  type AuditDraft,
  type DeadReason,
  type DerivedProblem,
  type MessageKind,
  type MessageProblem,
  type QueueMessage,
} from "#model";
import type { Database, RecordAct } from "../database.ts";

type TableParts = { readonly db: Database; readonly recordAct: RecordAct };

export type SendRefusal =
  | MessageProblem
  | { readonly code: "message_unrouted" }
  /** The same id stands for another message. */
  | { readonly code: "message_differs" };
export type LeaseLost = { readonly code: "lease_lost" };

type QueueRow = {
  readonly message_id: string;
  readonly kind: string;
  readonly order_key: string;
  readonly deliveries: number;
  readonly fence: number;
  readonly ready_at: string;
  readonly position: number;
  readonly message: string;
};

export type Lease = { readonly id: string; readonly fence: number };
export type LeasedMessage = Lease & { readonly message: QueueMessage; readonly delivery: number };
export type LeaseSpan = { readonly at: Instant; readonly leaseMs: number };
export type LeaseRequest = LeaseSpan & {
  readonly kinds: readonly MessageKind[];
  /** The process and its reader. */
  readonly holder: string;
  readonly countMax: number;
  readonly deliveriesMax: number;
  /** This message and no other. */
  readonly id?: string | undefined;
};

export type Adding = { readonly message: QueueMessage; readonly at: Instant };

/** `known` when the queue has this message, or has handled it. */
export function add(db: Database, { message, at }: Adding): Result<"added" | "known", SendRefusal> {
  if (!isSenderAllowed(message)) return err({ code: "message_unrouted" });
  const text = queueMessageText(message);
  if (!text.ok) return text;
  const { id, kind } = message;
  const added = db.run(
    `INSERT INTO queue (message_id, kind, order_key, state, ready_at, message)
     SELECT :id, :kind, :key,
       CASE WHEN EXISTS (SELECT 1 FROM queue WHERE order_key = :key AND state <> 'dead') THEN 'behind' ELSE 'ready' END,
       :at, :message
     WHERE NOT EXISTS (SELECT 1 FROM processed_messages WHERE message_id = :id)
     ON CONFLICT (message_id) DO NOTHING`,
    { id, kind, key: orderKeyOf(message), at, message: text.value },
  );
  return added === 1 || isSame(db, { id, text: text.value })
    ? ok(added === 1 ? "added" : "known")
    : err({ code: "message_differs" });
}

/** The same for a message that was handled although its work is not over. */
export function addAgain(db: Database, adding: Adding): Result<"added" | "known", SendRefusal> {
  db.run("DELETE FROM processed_messages WHERE message_id = :id", { id: adding.message.id });
  return add(db, adding);
}

function isSame(db: Database, { id, text }: { readonly id: string; readonly text: string }): boolean {
  const row = db.get<{ readonly message: string }>("SELECT message FROM queue WHERE message_id = :id", { id });
  return row === null || row.message === text;
}

/** SQLite compiles a statement anew each time a bare parameter is bound to its LIMIT; a sum it computes. */
const READY = "FROM queue WHERE kind = :kind AND state = 'ready' ORDER BY ready_at, position LIMIT :countMax + 0";
const THIS = "FROM queue WHERE message_id = :id AND kind = :kind AND state = 'ready'";
/** Of the same kinds only: a reader prolongs its own leases before it looks for expired ones. */
const EXPIRED = "FROM queue WHERE state = 'leased' AND lease_until <= :at AND kind = :kind";

/** A read that spares readers with nothing to do a write. */
export const hasDue = (db: Database, { kinds, id, at }: LeaseRequest): boolean =>
  kinds.some(
    (kind) =>
      (id === undefined
        ? db.get(`SELECT 1 AS found ${READY}`, { kind, countMax: 1 })
        : db.get(`SELECT 1 AS found ${THIS}`, { kind, id })) !== null ||
      db.get(`SELECT 1 AS found ${EXPIRED} LIMIT 1`, { kind, at }) !== null,
  );

/** Leases the messages that have been ready the longest. One that cannot be read is dead. */
export function lease(parts: TableParts, request: LeaseRequest): readonly LeasedMessage[] {
  const { db } = parts;
  const { kinds, at, id, countMax, deliveriesMax } = request;
  const found: Place[] = [];
  for (const kind of kinds) {
    for (const row of db.all<QueueRow>(`SELECT * ${EXPIRED}`, { kind, at }))
      release(parts, row, { at, reason: "lease_expired", deliveriesMax });
    found.push(
      ...(id === undefined
        ? db.all<Place>(`SELECT ready_at, position ${READY}`, { kind, countMax })
        : db.all<Place>(`SELECT ready_at, position ${THIS}`, { kind, id })),
    );
  }
  const leased: LeasedMessage[] = [];
  const values = { holder: request.holder, until: untilOf(request) };
  // The longest wait counts, whatever its kind: many messages of one kind do not keep another kind waiting.
  for (const { position } of found.toSorted(longestWaitFirst).slice(0, countMax)) {
    const row = db.get<QueueRow>(LEASE, { ...values, position });
    if (row === null) continue;
    const message = messageIn(row);
    if (message.ok)
      leased.push({ id: row.message_id, fence: row.fence, delivery: row.deliveries, message: message.value });
    else kill(parts, row, { at, reason: message.error });
  }
  return leased;
}

type Place = Pick<QueueRow, "ready_at" | "position">;
const longestWaitFirst = (a: Place, b: Place): number =>
  a.ready_at < b.ready_at ? -1 : a.ready_at > b.ready_at ? 1 : a.position - b.position;

const LEASE = `UPDATE queue
  SET state = 'leased', fence = fence + 1, holder = :holder, lease_until = :until, deliveries = deliveries + 1
  WHERE position = :position RETURNING *`;

export type QueueText = { readonly kind: string; readonly message: string };

/** Null when the stored text is no message of its kind. */
export function readMessage(row: QueueText): QueueMessage | null {
  const message = messageIn(row);
  return message.ok ? message.value : null;
}

function messageIn({ kind, message }: QueueText): Result<QueueMessage, DeadReason> {
  const json = parseStrictJson(message);
  if (!json.ok) return err("unreadable");
  const parsed = parseQueueMessage(json.value);
  if (parsed.ok) return parsed.value.kind === kind ? parsed : err("unreadable");
  return err(parsed.error.code === "message_kind_unknown" ? "not_understood" : "unreadable");
}

/** Whether the lease is still held; a lease whose time is over is prolonged as long as nobody else has the message. */
export const prolong = (db: Database, { id, fence, ...span }: Lease & LeaseSpan): boolean =>
  db.run("UPDATE queue SET lease_until = :until WHERE message_id = :id AND fence = :fence AND state = 'leased'", {
    id,
    fence,
    until: untilOf(span),
  }) === 1;

export type Settling = { readonly lease: Lease; readonly at: Instant; readonly derived?: readonly QueueMessage[] };

/** Deletes the message, remembers its id and sends what follows from it. Nothing is written when it is refused. [BUS-17] */
export function settle(
  parts: TableParts,
  { lease: { id, fence }, at, derived = [] }: Settling,
): Result<void, LeaseLost | SendRefusal | DerivedProblem> {
  const { db } = parts;
  const row = db.get<QueueRow>(
    "DELETE FROM queue WHERE message_id = :id AND fence = :fence AND state = 'leased' AND lease_until > :at RETURNING *",
    { id, fence, at },
  );
  if (row === null) return err({ code: "lease_lost" });
  if (!isMessageKind(row.kind) || KINDS[row.kind].handledIds === "kept")
    db.run("INSERT OR IGNORE INTO processed_messages (message_id, processed_at) VALUES (:id, :at)", { id, at });
  promote(parts, row.order_key, at);
  for (const made of derived) {
    const from = messageIn(row);
    const problem = from.ok ? derivedProblem(from.value, made) : null;
    if (problem !== null) return err(problem);
    const sent = add(db, { message: made, at });
    if (!sent.ok) return sent;
  }
  return ok();
}

/** The first message of the key is ready now, after those that were ready before; one of an unknown kind is dead. */
function promote(parts: TableParts, key: string, at: Instant): void {
  const row = parts.db.get<QueueRow>(
    `UPDATE queue SET state = 'ready', ready_at = :at
     WHERE state = 'behind' AND position =
       (SELECT position FROM queue WHERE order_key = :key AND state <> 'dead' ORDER BY position LIMIT 1) RETURNING *`,
    { key, at },
  );
  if (row !== null && !isMessageKind(row.kind)) killUnread(parts, row, at);
}

/** `unused`: nothing was tried, and the delivery does not count. `hopeless`: no further try would help. */
export type Return = { readonly how: "unused" } | { readonly how: "failed" | "hopeless"; readonly reason: DeadReason };
export type Returning = {
  readonly lease: Lease;
  readonly back: Return;
  readonly at: Instant;
  readonly deliveriesMax: number;
};

/** Gives a message back, or kills it: at once, or when it was delivered often enough. [BUS-13] */
export function giveBack(parts: TableParts, returning: Returning): Result<"ready" | "dead", LeaseLost> {
  const {
    lease: { id, fence },
    back,
    at,
    deliveriesMax,
  } = returning;
  const row = parts.db.get<QueueRow>(
    "SELECT * FROM queue WHERE message_id = :id AND fence = :fence AND state = 'leased'",
    { id, fence },
  );
  if (row === null) return err({ code: "lease_lost" });
  if (back.how === "unused") return ok(makeReady(parts.db, row, row.deliveries - 1));
  return ok(
    release(parts, row, { at, reason: back.reason, deliveriesMax: back.how === "hopeless" ? 0 : deliveriesMax }),
  );
}

/** Whatever an ended process held is ready again, and that delivery does not count: it may only have waited. [BUS-14] */
export const putBack = (db: Database, holder: string): number =>
  db.run(
    `UPDATE queue SET state = 'ready', holder = NULL, lease_until = NULL, deliveries = deliveries - 1
     WHERE state = 'leased' AND holder = :holder`,
    { holder },
  );

/**
 * Kills messages of kinds that this version does not know, so that none of them waits for a reader for ever. One that is
 * behind another dies when it is its turn, so that a start reads a row for each kind and not the whole queue.
 */
export function killUnknown(parts: TableParts, at: Instant): void {
  let kind = "";
  for (;;) {
    const next = parts.db.get<QueueRow>(
      "SELECT * FROM queue WHERE state = 'ready' AND kind > :kind ORDER BY kind, ready_at, position LIMIT 1",
      { kind },
    );
    if (next === null) return;
    if (isMessageKind(next.kind)) kind = next.kind;
    else killUnread(parts, next, at);
  }
}

function killUnread(parts: TableParts, row: QueueRow, at: Instant): void {
  const message = messageIn(row);
  kill(parts, row, { at, reason: message.ok ? "not_understood" : message.error });
}

type Failing = { readonly at: Instant; readonly reason: DeadReason; readonly deliveriesMax: number };

function release(parts: TableParts, row: QueueRow, { deliveriesMax, ...why }: Failing): "ready" | "dead" {
  return row.deliveries < deliveriesMax ? makeReady(parts.db, row, row.deliveries) : kill(parts, row, why);
}

/** It keeps its place in the order. */
function makeReady(db: Database, { message_id: id }: QueueRow, deliveries: number): "ready" {
  db.run(
    `UPDATE queue SET state = 'ready', holder = NULL, lease_until = NULL, deliveries = :deliveries WHERE message_id = :id`,
    { id, deliveries },
  );
  return "ready";
}

/** The message stays, with its reason, and those behind it go on. */
function kill({ db, recordAct }: TableParts, row: QueueRow, { at, reason }: Omit<Failing, "deliveriesMax">): "dead" {
  db.run(
    `UPDATE queue SET state = 'dead', holder = NULL, lease_until = NULL, reason = :reason, dead_at = :at
     WHERE message_id = :id`,
    { id: row.message_id, reason, at },
  );
  promote({ db, recordAct }, row.order_key, at);
  recordAct(deadDraft(row, { at, reason }));
  return "dead";
}

function deadDraft(row: QueueRow, { at, reason }: Omit<Failing, "deliveriesMax">): AuditDraft {
  const message = messageIn(row);
  return {
    event: "message_dead",
    data: {
      message_id: row.message_id,
      queue: message.ok ? KINDS[message.value.kind].queue : "runtime_queue",
      work_item_id: message.ok ? workItemOf(message.value) : null,
      deliveries: row.deliveries,
      reason,
    },
    at,
    actor: { kind: "system" },
  };
}

export const unroutedDraft = ({ id, kind, sentBy }: QueueMessage, at: Instant): AuditDraft => ({
  event: "message_unrouted",
  data: { message_id: id, sender: sentBy, message_kind: kind, queue: KINDS[kind].queue },
  at,
  actor: { kind: "system" },
});

export type DeadLetter = {
  readonly id: string;
  /** Null when it cannot be read. */
  readonly message: QueueMessage | null;
  readonly reason: DeadReason;
  readonly deliveries: number;
  readonly at: Instant;
};

export type DeadRow = Pick<QueueRow, "message_id" | "kind" | "message" | "deliveries"> & {
  readonly reason: string;
  readonly dead_at: string;
};

export const deadLetterOf = (row: DeadRow): DeadLetter => ({
  id: row.message_id,
  message: readMessage(row),
  reason: row.reason as DeadReason,
  deliveries: row.deliveries,
  at: row.dead_at as Instant,
});

function untilOf({ at, leaseMs }: LeaseSpan): Instant {
  const until = instantFromMs(msOfInstant(at) + leaseMs);
  return until.ok ? until.value : at;
}
