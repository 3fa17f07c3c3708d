/**
 * The tables of the queue, inside a transaction that the caller has begun.
 *
 * A message in `queue` is ready to be delivered, behind another one with the same order key, or leased; a dead one is in
 * `dead_messages`. What was handled is deleted; its id stays in `sent_messages` if its kind keeps the ids of handled messages.
 * A lease is a row of `queue_leases`: a holder with a fence that no other lease of the message has, so that a holder which lost
 * its lease settles nothing. [BUS-12]
 */
import { err, instantFromMs, msOfInstant, ok, type Instant, type Result } from "#base";
import {
  derivedProblem,
  isMessageKind,
  isSenderAllowed,
  KINDS,
  orderKeyOf,
  queueMessageText,
  type DeadReason,
  type DerivedProblem,
  type MessageKind,
  type MessageProblem,
  type QueueMessage,
} from "#model";
import type { Database, RecordAct } from "../database.ts";
import type { RecentMessages } from "./queue.ts";
import { deadDraft, messageIn, type QueueRow } from "./rows.ts";

export type TableParts = {
  readonly db: Database;
  readonly recordAct: RecordAct;
  readonly recent: RecentMessages;
  /** The order keys whose first message was deleted, and when, until the next of each is promoted. */
  readonly freed: Map<string, Instant>;
  /** Called when a commit stands that killed a message. */
  readonly died: () => void;
};

export type SendRefusal =
  | MessageProblem
  | { readonly code: "message_unrouted" }
  /** The same id stands for another message. */
  | { readonly code: "message_differs" };
export type LeaseLost = { readonly code: "lease_lost" };

export type Lease = { readonly id: string; readonly position: number; readonly fence: number };
export type LeasedMessage = Lease & {
  readonly message: QueueMessage;
  readonly orderKey: string;
  readonly delivery: number;
};
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

/** Null when the queue has this message, or has handled it. A position is one more than the greatest, as SQLite gives it. */
const REMEMBER = `INSERT INTO sent_messages (message_id, position)
  VALUES (:id, (SELECT coalesce(max(position), 0) + 1 FROM queue)) ON CONFLICT (message_id) DO NOTHING`;
const INSERT = `INSERT INTO queue (message_id, kind, order_key, ready_at, message) VALUES (:id, :kind, :key,
  CASE WHEN EXISTS (SELECT 1 FROM queue WHERE order_key = :key) THEN NULL ELSE :at END, :text)`;

/** `known` when the queue has this message, or has handled it. */
export function add(parts: TableParts, { message, at }: Adding): Result<"added" | "known", SendRefusal> {
  if (!isSenderAllowed(message)) return err({ code: "message_unrouted" });
  const text = queueMessageText(message);
  if (!text.ok) return text;
  const { db, recent } = parts;
  const { id, kind } = message;
  if (db.run(REMEMBER, { id }) === 0)
    return isSame(db, { id, text: text.value }) ? ok("known") : err({ code: "message_differs" });
  db.run(INSERT, { id, kind, key: orderKeyOf(message), at, text: text.value });
  recent.keep({ message, text: text.value });
  return ok("added");
}

/** The same for a message that was handled although its work is not over. */
export function addAgain(parts: TableParts, adding: Adding): Result<"added" | "known", SendRefusal> {
  parts.db.run(
    `DELETE FROM sent_messages WHERE message_id = :id
     AND NOT EXISTS (SELECT 1 FROM queue WHERE position = sent_messages.position AND message_id = :id)
     AND NOT EXISTS (SELECT 1 FROM dead_messages WHERE message_id = :id)`,
    { id: adding.message.id },
  );
  return add(parts, adding);
}

/** Where a message is, if the queue has it: the position of one that was handled may be that of another message now. */
const NAMED = "position = (SELECT position FROM sent_messages WHERE message_id = :id) AND message_id = :id";

function isSame(db: Database, { id, text }: { readonly id: string; readonly text: string }): boolean {
  const row = db.get<{ readonly message: string }>(
    `SELECT message FROM queue WHERE ${NAMED} UNION ALL SELECT message FROM dead_messages WHERE message_id = :id`,
    { id },
  );
  return row === null || row.message === text;
}

/** Leased messages come first in this order. The query skips them; there are never more than the readers hold. */
const UNLEASED = "ready_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM queue_leases l WHERE l.position = queue.position)";
/** SQLite compiles a statement anew each time a bare parameter is bound to its LIMIT; a sum it computes. */
const READY = `FROM queue WHERE kind = :kind AND ${UNLEASED} ORDER BY ready_at, position LIMIT :countMax + 0`;
const THIS = `FROM queue WHERE ${NAMED} AND kind = :kind AND ${UNLEASED}`;
/** Of the same kinds only: a reader prolongs its own leases before it looks for expired ones. */
const EXPIRED = `FROM queue_leases l CROSS JOIN queue q ON q.position = l.position
  WHERE l.lease_until <= :at AND q.kind = :kind`;

const DUE = `SELECT CASE
  WHEN EXISTS (SELECT 1 ${EXPIRED}) THEN 'expired'
  WHEN EXISTS (SELECT 1 FROM queue WHERE kind = :kind AND ${UNLEASED}) THEN 'ready'
  END AS due`;
type Due = "expired" | "ready";

/** Null when there is nothing to lease: this read spares readers with nothing to do a transaction. */
export function dueOf(db: Database, { kinds, at }: LeaseRequest): Due | null {
  let due: Due | null = null;
  for (const kind of kinds) {
    const found = db.get<{ readonly due: Due | null }>(DUE, { kind, at });
    if (found?.due === "expired") return "expired";
    due ??= found?.due ?? null;
  }
  return due;
}

/** A leased message whose text cannot be parsed. */
type Unread = { readonly lease: Lease; readonly back: Return };
type Leasing = { readonly leased: readonly LeasedMessage[]; readonly unread: readonly Unread[] };

/**
 * Leases the messages that have been ready the longest. INVARIANT: writes leases and nothing else. They are
 * committed without a sync, because a power loss that undoes a lease has ended its holder too.
 */
export function lease({ db, recent }: TableParts, request: LeaseRequest): Leasing {
  const rows = longestReady(db, request);
  if (rows.length === 0) return { leased: [], unread: [] };
  const leases = JSON.stringify(rows.map(({ position, fence }) => [position, fence + 1]));
  db.run(LEASE, { until: untilOf(request), holder: request.holder, leases });
  const leased: LeasedMessage[] = [];
  const unread: Unread[] = [];
  for (const row of rows) {
    const { message_id: id, position, order_key: orderKey } = row;
    const [delivery, fence] = [row.deliveries + 1, row.fence + 1];
    const message = recent.take(id, row);
    if (message.ok) leased.push({ id, position, fence, orderKey, delivery, message: message.value });
    else unread.push({ lease: { id, position, fence }, back: { how: "hopeless", reason: message.error } });
  }
  return { leased, unread };
}

/** Counts a delivery whose lease expired, and makes its message ready again or kills it. */
export function releaseExpired(parts: TableParts, { kinds, at, deliveriesMax }: LeaseRequest): void {
  for (const kind of kinds)
    for (const row of parts.db.all<QueueRow>(`SELECT q.* ${EXPIRED}`, { kind, at }))
      release(parts, row, { at, reason: "lease_expired", deliveriesMax });
}

const LEASE = `INSERT INTO queue_leases (position, fence, holder, lease_until)
  SELECT value ->> 0, value ->> 1, :holder, :until FROM json_each(:leases)`;

type ReadyRow = QueueRow & { readonly ready_at: string };
const COLUMNS = "position, message_id, kind, order_key, deliveries, fence, message, ready_at";
type Columns = readonly [number, string, string, string, number, number, string, string];

/** The longest wait counts, whatever its kind: many messages of one kind do not keep another kind waiting. */
function longestReady(db: Database, { kinds, id, countMax }: LeaseRequest): readonly ReadyRow[] {
  const found: ReadyRow[] = [];
  for (const kind of kinds) {
    const rows =
      id === undefined
        ? db.columns<Columns>(`SELECT ${COLUMNS} ${READY}`, { kind, countMax })
        : db.columns<Columns>(`SELECT ${COLUMNS} ${THIS}`, { kind, id });
    for (const row of rows) found.push(readyRow(row));
  }
  return kinds.length === 1 ? found : found.toSorted(longestWaitFirst).slice(0, countMax);
}

function readyRow(columns: Columns): ReadyRow {
  const [position, message_id, kind, order_key, deliveries, fence, message, ready_at] = columns;
  return { position, message_id, kind, order_key, deliveries, fence, message, ready_at };
}

const longestWaitFirst = (one: ReadyRow, other: ReadyRow): number =>
  one.ready_at < other.ready_at ? -1 : one.ready_at > other.ready_at ? 1 : one.position - other.position;

/** A message that this lease holds, whether its time is over or not: its position may be that of another message now. */
const HELD = `EXISTS (SELECT 1 FROM queue_leases l WHERE l.position = :position AND l.fence = :fence)
  AND position = :position AND message_id = :id`;

/** Whether the lease is still held; a lease whose time is over is prolonged as long as nobody else has the message. */
export const prolong = (db: Database, { id, position, fence, ...span }: Lease & LeaseSpan): boolean =>
  db.run(
    `UPDATE queue_leases SET lease_until = :until WHERE position = :position AND fence = :fence
     AND EXISTS (SELECT 1 FROM queue WHERE position = :position AND message_id = :id)`,
    { id, position, fence, until: untilOf(span) },
  ) === 1;

export type Settling = {
  readonly lease: LeasedMessage;
  readonly at: Instant;
  readonly derived?: readonly QueueMessage[];
};

const SETTLE = `DELETE FROM queue WHERE position = :position AND message_id = :id AND EXISTS (
  SELECT 1 FROM queue_leases WHERE position = :position AND fence = :fence AND lease_until > :at)`;
const END_LEASE = "DELETE FROM queue_leases WHERE position = :position";
const FORGET = "DELETE FROM sent_messages WHERE message_id = :id";

/**
 * Deletes the message and sends what follows from it; its id was remembered when it was sent, and stays unless its kind
 * drops it. What waits behind it is ready when `promoteFreed` ran, in the same commit. Nothing is written when it is
 * refused. [BUS-17]
 */
export function settle(
  parts: TableParts,
  { lease: held, at, derived = [] }: Settling,
): Result<void, LeaseLost | SendRefusal | DerivedProblem> {
  const { id, position, fence, orderKey, message } = held;
  if (parts.db.run(SETTLE, { id, position, fence, at }) !== 1) return err({ code: "lease_lost" });
  parts.db.run(END_LEASE, { position });
  if (KINDS[message.kind].handledIds === "dropped") parts.db.run(FORGET, { id });
  parts.freed.set(orderKey, at);
  for (const made of derived) {
    const problem = derivedProblem(message, made);
    if (problem !== null) return err(problem);
    const sent = add(parts, { message: made, at });
    if (!sent.ok) return sent;
  }
  return ok();
}

/** Once for all messages that a commit deletes. A key that is named in vain costs a look at its first message. */
export function promoteFreed(parts: TableParts): void {
  const { freed } = parts;
  if (freed.size === 0) return;
  const keys = [...freed.keys()];
  const at = [...freed.values()].at(-1);
  freed.clear();
  if (at !== undefined) promote(parts, keys, at);
}

const BEHIND = `SELECT first.* FROM json_each(:keys) AS keys CROSS JOIN queue AS first
  ON first.position = (SELECT position FROM queue WHERE order_key = keys.value ORDER BY position LIMIT 1)
  WHERE first.ready_at IS NULL`;

/**
 * The first message of each key is ready now, after those that were ready before; one of an unknown kind is dead. Mostly no
 * message waits behind, so that a read comes first: an UPDATE costs more even where it changes nothing.
 */
function promote(parts: TableParts, keys: readonly string[], at: Instant): void {
  for (const row of parts.db.all<QueueRow>(BEHIND, { keys: JSON.stringify(keys) })) {
    parts.db.run("UPDATE queue SET ready_at = :at WHERE position = :position", { position: row.position, at });
    if (!isMessageKind(row.kind)) killUnread(parts, row, at);
  }
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
  const { back, at } = returning;
  const { id, position, fence } = returning.lease;
  const row = parts.db.get<QueueRow>(`SELECT * FROM queue WHERE ${HELD}`, { id, position, fence });
  if (row === null) return err({ code: "lease_lost" });
  if (back.how === "unused") return ok(makeReady(parts.db, row));
  const deliveriesMax = back.how === "hopeless" ? 0 : returning.deliveriesMax;
  return ok(release(parts, row, { at, reason: back.reason, deliveriesMax }));
}

/** Whatever an ended process held is ready again, and that delivery does not count: it may only have waited. [BUS-14] */
export function putBack(db: Database, holder: string): void {
  for (const row of db.all<QueueRow>(HELD_BY, { holder })) makeReady(db, row);
}

const HELD_BY = "SELECT q.* FROM queue_leases l CROSS JOIN queue q ON q.position = l.position WHERE l.holder = :holder";

/**
 * Kills messages of kinds that this version does not know, so that none of them waits for a reader for ever; a newer
 * version may have been killed while it held one. One that is behind another dies when it is its turn, so that a start
 * reads a row for each kind and not the whole queue.
 */
export function killUnknown(parts: TableParts, at: Instant): void {
  let kind = "";
  for (;;) {
    const next = parts.db.get<QueueRow>(
      "SELECT * FROM queue WHERE kind > :kind AND ready_at IS NOT NULL ORDER BY kind LIMIT 1",
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

/** Ends a lease that came to nothing: that delivery counts. */
function release(parts: TableParts, held: QueueRow, { deliveriesMax, ...why }: Failing): "ready" | "dead" {
  const row = { ...held, deliveries: held.deliveries + 1 };
  return row.deliveries < deliveriesMax ? makeReady(parts.db, row) : kill(parts, row, why);
}

/** It keeps its place in the order. */
function makeReady(db: Database, { position, deliveries }: QueueRow): "ready" {
  const back = "UPDATE queue SET fence = fence + 1, deliveries = :deliveries WHERE position = :position";
  db.run(back, { position, deliveries });
  db.run(END_LEASE, { position });
  return "ready";
}

const BURY = `INSERT INTO dead_messages (message_id, kind, order_key, deliveries, reason, dead_at, message)
  SELECT message_id, kind, order_key, :deliveries, :reason, :at, message FROM queue WHERE position = :position`;

/** The message stays, with its reason, and those behind it go on. */
function kill(parts: TableParts, row: QueueRow, { at, reason }: Omit<Failing, "deliveriesMax">): "dead" {
  const { position, deliveries } = row;
  parts.db.run(BURY, { position, deliveries, reason, at });
  parts.db.run("DELETE FROM queue WHERE position = :position", { position });
  parts.db.run(END_LEASE, { position });
  promote(parts, [row.order_key], at);
  parts.recordAct(deadDraft(row, { at, reason }));
  parts.db.afterCommit(parts.died);
  return "dead";
}

function untilOf({ at, leaseMs }: LeaseSpan): Instant {
  const until = instantFromMs(msOfInstant(at) + leaseMs);
  return until.ok ? until.value : at;
}
