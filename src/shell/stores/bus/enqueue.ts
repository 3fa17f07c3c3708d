import { assert, err, ok, type Result } from "#base";
import { dispatchOf, isRouted, queueMessageText } from "#model";
import type { QueueRefusal, Sent, Spending } from "#ports";
import type { Sqlite } from "../sqlite.ts";

/** Inside of a transaction that somebody else has begun, so that a message is there with what it tells of. */
export function enqueueWithin(db: Sqlite, { queue, message }: Sent): Result<"added" | "known", QueueRefusal> {
  if (!isRouted(message, queue)) return err({ code: "message_unrouted" });
  const text = queueMessageText(message);
  if (!text.ok) return text;
  const { messageId, scopeId } = message;
  const same = db.get<{ readonly message: string }>(
    "SELECT message FROM queue_messages WHERE queue = :queue AND message_id = :messageId",
    { queue, messageId },
  );
  if (same !== null) return same.message === text.value ? ok("known") : err({ code: "message_differs" });
  db.run(
    `INSERT INTO queue_messages (queue, message_id, scope_id, turn, state, message)
     VALUES (:queue, :messageId, :scopeId, :turn, 'waiting', :message)`,
    { queue, messageId, scopeId, turn: turnFor(db, { queue, scopeId }), message: text.value },
  );
  return ok("added");
}

/**
 * After the last of its own scope, and not before whoever is next: a scope that comes late waits for one round of the
 * others, however much they have waiting.
 */
function turnFor(db: Sqlite, place: { readonly queue: string; readonly scopeId: string }): number {
  const own = db.get<{ readonly turn: number }>(
    `SELECT turn FROM queue_messages INDEXED BY queue_messages_of_scope
     WHERE queue = :queue AND scope_id = :scopeId AND state = 'waiting' ORDER BY turn DESC LIMIT 1`,
    place,
  );
  return own === null ? firstTurn(db, place.queue) : own.turn + 1;
}

/** The turn of whoever is next. */
export function firstTurn(db: Sqlite, queue: string): number {
  const first = db.get<{ readonly turn: number }>(
    `SELECT turn FROM queue_messages INDEXED BY queue_messages_waiting
     WHERE queue = :queue AND state = 'waiting' ORDER BY turn LIMIT 1`,
    { queue },
  );
  return first?.turn ?? 1;
}

/** Tells whoever runs work of a run that was granted, in the commit that grants it. [WORK-06] [FLOW-06] */
export function dispatchWithin(db: Sqlite, { attemptLineage, workItemId, at, actor }: Spending): void {
  const message = dispatchOf({ runId: attemptLineage, workItemId, at, actor });
  const sent = enqueueWithin(db, { queue: "runtime_queue", message, at });
  assert(sent.ok, "BUS-20 the dispatch of a run has its route");
}
