import { assert, err, type Instant, LIMITS, ok, type Result } from "#base";
import { type DeadReason, type DerivedProblem, isSenderAllowed, type QueueMessage } from "#model";
import type { Database, RecordAct } from "../database.ts";
import { Fault, faultFrom } from "../fault.ts";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { type DeadLetter, deadLetterOf, type DeadRow, messageIn, type QueueText, unroutedDraft } from "./rows.ts";
import type {
  Lease,
  LeasedMessage,
  LeaseLost,
  LeaseRequest,
  LeaseSpan,
  Returning,
  SendRefusal,
  Settling,
} from "./table.ts";
import * as table from "./table.ts";

type QueueParts = { readonly db: Database; readonly recordAct: RecordAct };
/** What a handler writes together with the end of its message. It runs inside the commit and must not wait. */
type SettleRequest = Settling & { readonly write?: () => void };
type SettleRefusal = LeaseLost | SendRefusal | DerivedProblem;

export type Queue = ReturnType<typeof createQueue>;

/**
 * The one durable queue, in `silas.db`: what must happen later is a message here. A message is added once, leased to one
 * holder at a time, and deleted in the commit that does what it asks for. A message that nobody can handle is dead: it
 * stays, with the reason. Methods throw a `Fault` when the database fails.
 */
export function createQueue({ db, recordAct }: QueueParts) {
  const died = createListeners();
  const parts = { db, recordAct, recent: createRecentMessages(), freed: new Map<string, Instant>(), died: died.tell };
  const commit = createGroupCommit({ db, beforeCommit: () => table.promoteFreed(parts) });
  const added = createListeners();
  return {
    /** Told of every commit that added a message. */
    onAdded: added.subscribe,
    /** Told of every commit of this process that killed a message. */
    onDied: died.subscribe,
    ...createSending({ ...parts, commit, announce: added.tell }),
    ...createLeasing({ ...parts, commit, announce: added.tell }),
    /** At a start: gives back what an ended process held under this name, and kills messages of unknown kinds. [BUS-14] */
    async recover(holder: string, at: Instant): Promise<void> {
      await commit(() => {
        table.putBack(db, holder);
        table.killUnknown(parts, at);
        return ok();
      });
    },
    /** The messages that died last, the last one first. */
    dead: (): readonly DeadLetter[] => read(() => db.all<DeadRow>(DEAD, { limit: LIMITS.pageRows }).map(deadLetterOf)),
  };
}

const DEAD = "SELECT * FROM dead_messages ORDER BY number DESC LIMIT :limit";

type Parts = table.TableParts & { readonly commit: GroupCommit; readonly announce: () => void };

function createListeners() {
  const listeners = new Set<() => void>();
  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell(): void {
      for (const listener of listeners) listener();
    },
  };
}

function createSending({ commit, announce, ...parts }: Parts) {
  const { db, recordAct } = parts;
  const addWithin = (adding: table.Adding, add = table.add): Result<"added" | "known", SendRefusal> => {
    const added = add(parts, adding);
    if (added.ok && added.value === "added") db.afterCommit(announce);
    return added;
  };
  const refuse = async (message: QueueMessage, at: Instant): Promise<Result<never, SendRefusal>> => {
    await commit(() => ok(recordAct(unroutedDraft(message, at))));
    return err({ code: "message_unrouted" });
  };
  return {
    /** Inside a transaction of another store, so that a message is there with what it tells of, or neither is. */
    send(message: QueueMessage, at: Instant): void {
      const sent = addWithin({ message, at });
      assert(sent.ok, "BUS-20 the product sends only messages that their kind allows");
    },
    /** `known` when the queue has this message, or has handled it. A sender its kind does not allow is recorded. */
    enqueue: (message: QueueMessage, at: Instant): Promise<Result<"added" | "known", SendRefusal>> =>
      isSenderAllowed(message) ? commit(() => addWithin({ message, at })) : refuse(message, at),
    /** Sends a message once more although it was handled, because its work is not over. Never adds a second one. */
    async reopen(message: QueueMessage, at: Instant): Promise<void> {
      await commit(() => addWithin({ message, at }, table.addAgain));
    },
  };
}

function createLeasing({ commit, announce, ...parts }: Parts) {
  const { db } = parts;
  /** After a fault the message stays leased, and is tried again when its lease expires: the readable ones go on. */
  const killUnread = async (returning: Returning): Promise<void> => {
    try {
      await commit(() => table.giveBack(parts, returning));
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause;
    }
  };
  return {
    /** The messages that have been ready the longest, at most one for each order key. [BUS-16] */
    async lease(request: LeaseRequest): Promise<readonly LeasedMessage[]> {
      const due = read(() => table.dueOf(db, request));
      if (due === null) return [];
      if (due === "expired") await commit(() => ok(table.releaseExpired(parts, request)));
      const countMax = Math.min(request.countMax, LIMITS.leaseBatch);
      const found = read(() => db.unsyncedTransaction(() => ok(table.lease(parts, { ...request, countMax }))));
      if (!found.ok) return [];
      const { leased, unread } = found.value;
      await Promise.all(unread.map((one) => killUnread({ ...request, ...one })));
      return leased;
    },
    /** Prolongs these leases; answers with those that are lost. */
    async heartbeat(leases: readonly Lease[], span: LeaseSpan): Promise<readonly Lease[]> {
      const lost = await commit(() => ok(leases.filter((one) => !table.prolong(db, { ...one, ...span }))));
      return lost.ok ? lost.value : [];
    },
    /** Ends a message: its deletion, what follows from it and what its handler writes are one commit. [BUS-17] */
    settle: (request: SettleRequest): Promise<Result<void, SettleRefusal>> =>
      commit(() => {
        const settled = table.settle(parts, request);
        if (!settled.ok) return settled;
        if ((request.derived?.length ?? 0) > 0) db.afterCommit(announce);
        request.write?.();
        return settled;
      }),
    giveBack: (returning: Returning): Promise<Result<"ready" | "dead", LeaseLost>> =>
      commit(() => table.giveBack(parts, returning)),
  };
}

function read<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw faultFrom(cause);
  }
}

type Added = { readonly message: QueueMessage; readonly text: string };

export type RecentMessages = ReturnType<typeof createRecentMessages>;

/**
 * The messages that this process added last. One that it leases itself need not be parsed again, as long as its row has the
 * very text that was written; every other text is parsed.
 */
function createRecentMessages() {
  const added = new Map<string, Added>();
  return {
    keep(one: Added): void {
      if (added.size >= LIMITS.recentMessages) dropOldest(added);
      added.set(one.message.id, one);
    },
    /** The message of a row that was just leased. */
    take(id: string, row: QueueText): Result<QueueMessage, DeadReason> {
      const known = added.get(id);
      added.delete(id);
      return known?.text === row.message && known.message.kind === row.kind ? ok(known.message) : messageIn(row);
    },
  };
}

function dropOldest(added: Map<string, Added>): void {
  for (const id of added.keys()) return void added.delete(id);
}
