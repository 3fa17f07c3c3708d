import { assert, err, LIMITS, ok, type Instant, type Result } from "#base";
import { derivedProblem, isRouted, type DeadReason, type QueueMessage, type QueueName } from "#model";
import type {
  Lease,
  LeaseAsked,
  LeasedMessage,
  LeaseLost,
  QueueRefusal,
  QueueStore,
  ReturnedMessage,
  Sent,
  SettledMessage,
} from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";
import { enqueueWithin, firstTurn } from "./enqueue.ts";
import { deadDraft, deadLetterOf, messageIn, readableMessage, unroutedDraft, untilOf, type QueueRow } from "./rows.ts";

type Parts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/** Queues on a migrated `silas.db`. Every change is one transaction, with its audit entry where it has one. */
export function createQueueStore(parts: Parts): QueueStore {
  const { db } = parts;
  return {
    enqueue: async (sent) => guarded(() => enqueue(parts, sent)),
    lease: async (asked) =>
      // Looking where nothing is to be had writes nothing.
      guarded(() => (hasSomething(db, asked) ? db.transaction(() => ok(lease(parts, asked))) : ok([]))),
    heartbeat: async (leases, span) =>
      guarded(() => db.transaction(() => ok(leases.filter((one) => !prolong(db, { one, until: untilOf(span) }))))),
    settle: async (settling) => guarded(() => db.transaction(() => settle(parts, settling))),
    nack: async (returning) => guarded(() => db.transaction(() => giveBack(parts, returning))),
    putBack: async (queue) =>
      guarded(() => (isAnyLeased(db, queue) ? db.transaction(() => ok(putBack(db, queue))) : ok(0))),
    deadLetters: async (queue) =>
      guardedValue(() =>
        db
          .all<QueueRow>(
            `SELECT * FROM queue_messages INDEXED BY queue_messages_dead
             WHERE queue = :queue AND state = 'dead' ORDER BY position DESC LIMIT :limit`,
            { queue, limit: LIMITS.pageRows },
          )
          .map(deadLetterOf),
      ),
  };
}

function enqueue({ db, recordAct }: Parts, sent: Sent): Result<"added" | "known", QueueRefusal> {
  if (isRouted(sent.message, sent.queue)) return db.transaction(() => enqueueWithin(db, sent));
  db.transaction(() => ok(recordAct(unroutedDraft(sent))));
  return err({ code: "message_unrouted" });
}

const EXPIRED = `SELECT * FROM queue_messages INDEXED BY queue_messages_leased
  WHERE queue = :queue AND state = 'leased' AND lease_until <= :at`;
const NEXT = `SELECT * FROM queue_messages INDEXED BY queue_messages_waiting
  WHERE queue = :queue AND state = 'waiting' ORDER BY turn, position LIMIT :countMax`;
const THIS = "SELECT * FROM queue_messages WHERE queue = :queue AND message_id = :messageId AND state = 'waiting'";

const nextOf = (db: Sqlite, { queue, messageId, countMax }: LeaseAsked): readonly QueueRow[] =>
  messageId === undefined
    ? db.all<QueueRow>(NEXT, { queue, countMax: Math.min(countMax, LIMITS.leaseBatch) })
    : db.all<QueueRow>(THIS, { queue, messageId });

const hasSomething = (db: Sqlite, asked: LeaseAsked): boolean =>
  nextOf(db, { ...asked, countMax: 1 }).length > 0 ||
  db.get(`${EXPIRED} LIMIT 1`, { queue: asked.queue, at: asked.at }) !== null;

const isAnyLeased = (db: Sqlite, queue: QueueName): boolean =>
  db.get("SELECT 1 AS found FROM queue_messages WHERE queue = :queue AND state = 'leased' LIMIT 1", { queue }) !== null;

function lease(parts: Parts, asked: LeaseAsked): readonly LeasedMessage[] {
  const { db } = parts;
  const { queue, consumer, at } = asked;
  for (const row of db.all<QueueRow>(EXPIRED, { queue, at }))
    comeBack(parts, { ...asked, row, reason: "lease_expired" });
  return nextOf(db, asked).flatMap((row): readonly LeasedMessage[] => {
    if (isProcessed(db, { consumer, messageId: row.message_id })) {
      remove(db, row);
      return [];
    }
    const message = readableMessage(row);
    if (message !== null) return [take(db, { asked, row, message })];
    setAside(parts, { row, reason: "unreadable", at });
    return [];
  });
}

const isProcessed = (db: Sqlite, by: { readonly consumer: string; readonly messageId: string }): boolean =>
  db.get("SELECT 1 AS found FROM processed_messages WHERE consumer = :consumer AND message_id = :messageId", by) !==
  null;

type Taking = { readonly asked: LeaseAsked; readonly row: QueueRow; readonly message: QueueMessage };

function take(db: Sqlite, { asked, row, message }: Taking): LeasedMessage {
  const { queue, consumer } = asked;
  const { message_id: messageId } = row;
  const number = db.get<{ readonly last: number }>("UPDATE lease_numbers SET last = last + 1 RETURNING last");
  assert(number !== null, "BUS-12 a lease has its number");
  const fence = number.last;
  db.run(
    `UPDATE queue_messages SET state = 'leased', fence = :fence, lease_until = :until, deliveries = deliveries + 1
     WHERE queue = :queue AND message_id = :messageId`,
    { queue, messageId, fence, until: untilOf(asked) },
  );
  return { queue, consumer, messageId, fence, message, delivery: row.deliveries + 1 };
}

const remove = (db: Sqlite, { queue, message_id: messageId }: Pick<QueueRow, "queue" | "message_id">): number =>
  db.run("DELETE FROM queue_messages WHERE queue = :queue AND message_id = :messageId", { queue, messageId });

type Prolonging = { readonly one: Lease; readonly until: Instant };

function prolong(db: Sqlite, { one, until }: Prolonging): boolean {
  const { queue, messageId, fence } = one;
  const changed = db.run(
    `UPDATE queue_messages SET lease_until = :until
     WHERE queue = :queue AND message_id = :messageId AND state = 'leased' AND fence = :fence`,
    { queue, messageId, fence, until },
  );
  return changed > 0;
}

/** The message, if this is its newest lease. */
const heldBy = (db: Sqlite, { queue, messageId, fence }: Lease): QueueRow | null =>
  db.get<QueueRow>(
    `SELECT * FROM queue_messages
     WHERE queue = :queue AND message_id = :messageId AND state = 'leased' AND fence = :fence`,
    { queue, messageId, fence },
  );

function settle({ db }: Parts, { lease: held, at, derived }: SettledMessage): Result<void, LeaseLost | QueueRefusal> {
  const row = heldBy(db, held);
  if (row === null || row.lease_until === null || row.lease_until <= at) return err({ code: "lease_lost" });
  const { consumer, messageId } = held;
  db.run(
    `INSERT INTO processed_messages (consumer, message_id, processed_at) VALUES (:consumer, :messageId, :at)
     ON CONFLICT DO NOTHING`,
    { consumer, messageId, at },
  );
  remove(db, row);
  for (const made of derived) {
    const problem = derivedProblem(messageIn(row), made.message);
    if (problem !== null) return err(problem);
    const sent = enqueueWithin(db, { ...made, at });
    if (!sent.ok) return sent;
  }
  return ok();
}

function giveBack(parts: Parts, returned: ReturnedMessage): Result<"waits" | "dead", LeaseLost> {
  const row = heldBy(parts.db, returned.lease);
  if (row === null) return err({ code: "lease_lost" });
  if (returned.how === "unused") return ok(waitUncounted(parts.db, row));
  const { how, reason, at } = returned;
  return ok(comeBack(parts, { row, reason, at, deliveriesMax: how === "hopeless" ? 0 : returned.deliveriesMax }));
}

const waitUncounted = (db: Sqlite, row: QueueRow): "waits" => wait(db, { row, deliveries: row.deliveries - 1 });

function putBack(db: Sqlite, queue: QueueName): number {
  const held = db.all<QueueRow>("SELECT * FROM queue_messages WHERE queue = :queue AND state = 'leased'", { queue });
  for (const row of held) waitUncounted(db, row);
  return held.length;
}

type Limits = { readonly at: Instant; readonly deliveriesMax: number };
type ComingBack = Limits & { readonly row: QueueRow; readonly reason: DeadReason };

/** After a delivery that came to nothing. */
function comeBack(parts: Parts, { row, reason, at, deliveriesMax }: ComingBack): "waits" | "dead" {
  if (row.deliveries < deliveriesMax) return wait(parts.db, { row, deliveries: row.deliveries });
  setAside(parts, { row, reason, at });
  return "dead";
}

type Waiting = { readonly row: QueueRow; readonly deliveries: number };

/** It is the next: it had its turn already. */
function wait(db: Sqlite, { row: { queue, message_id: messageId }, deliveries }: Waiting): "waits" {
  db.run(
    `UPDATE queue_messages SET state = 'waiting', fence = NULL, lease_until = NULL, deliveries = :deliveries, turn = :turn
     WHERE queue = :queue AND message_id = :messageId`,
    { queue, messageId, deliveries, turn: firstTurn(db, queue) },
  );
  return "waits";
}

type Dying = { readonly row: QueueRow; readonly reason: DeadReason; readonly at: Instant };

function setAside({ db, recordAct }: Parts, { row, reason, at }: Dying): void {
  const { queue, message_id: messageId } = row;
  db.run(
    `UPDATE queue_messages SET state = 'dead', fence = NULL, lease_until = NULL, reason = :reason, dead_at = :at
     WHERE queue = :queue AND message_id = :messageId`,
    { queue, messageId, reason, at },
  );
  recordAct(deadDraft({ ...row, reason, at }));
}
