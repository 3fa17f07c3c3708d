import { err, LIMITS, ok, type Instant, type Result } from "#base";
import { derivedProblem, isRouted, queueMessageText, type DeadReason, type QueueMessage, type QueueName } from "#model";
import type {
  Lease,
  LeaseAsked,
  LeasedMessage,
  LeaseLost,
  QueueRefusal,
  QueueStore,
  Sent,
  SettledMessage,
} from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { deadDraft, unroutedDraft, untilOf } from "./rows.ts";

type Entry = {
  readonly queue: QueueName;
  readonly message: QueueMessage;
  readonly text: string;
  readonly position: number;
  turn: number;
  state: "waiting" | "leased" | "dead";
  deliveries: number;
  fence: number;
  until: Instant | null;
  reason: DeadReason | null;
  deadAt: Instant | null;
};
type Kept = { entries: Entry[]; readonly processed: Set<string>; added: number; fence: number };

/** The in-memory twin of the queue store: the same behaviour in the plainest code. */
export function createMemoryQueueStore({ recordAct }: { readonly recordAct: RecordAct }): QueueStore {
  const kept: Kept = { entries: [], processed: new Set(), added: 0, fence: 0 };
  const of = (queue: QueueName): readonly Entry[] => kept.entries.filter((entry) => entry.queue === queue);
  const die = (entry: Entry, { reason, at }: { readonly reason: DeadReason; readonly at: Instant }): "dead" => {
    Object.assign(entry, { state: "dead", until: null, reason, deadAt: at });
    const { queue, deliveries, text, message } = entry;
    recordAct(deadDraft({ queue, message_id: message.messageId, deliveries, message: text, reason, at }));
    return "dead";
  };
  const comeBack = (entry: Entry, { deliveriesMax, ...why }: Coming): "waits" | "dead" =>
    entry.deliveries < deliveriesMax ? wait(kept, entry) : die(entry, why);
  return {
    enqueue: async (sent) => {
      if (isRouted(sent.message, sent.queue)) return add(kept, sent);
      recordAct(unroutedDraft(sent));
      return err({ code: "message_unrouted" });
    },
    lease: async (asked) => {
      const expired = of(asked.queue).filter(({ state, until }) => state === "leased" && (until ?? "") <= asked.at);
      for (const entry of expired) comeBack(entry, { ...asked, reason: "lease_expired" });
      return ok(next(kept, asked).flatMap((entry) => take(kept, { entry, asked })));
    },
    heartbeat: async (leases, span) =>
      ok(
        leases.filter((lease) => {
          const entry = heldBy(kept, lease);
          if (entry !== null) entry.until = untilOf(span);
          return entry === null;
        }),
      ),
    settle: async (settled) => settle(kept, settled),
    nack: async (returned) => {
      const entry = heldBy(kept, returned.lease);
      if (entry === null) return err({ code: "lease_lost" });
      if (returned.how === "unused") return ok(waitUncounted(kept, entry));
      const { how, reason, at, deliveriesMax } = returned;
      return ok(comeBack(entry, { reason, at, deliveriesMax: how === "hopeless" ? 0 : deliveriesMax }));
    },
    putBack: async (queue) => {
      const held = of(queue).filter(({ state }) => state === "leased");
      for (const entry of held) waitUncounted(kept, entry);
      return ok(held.length);
    },
    deadLetters: async (queue) =>
      ok(
        of(queue)
          .flatMap(({ message, deliveries, reason, deadAt: at }) =>
            reason === null || at === null ? [] : [{ messageId: message.messageId, message, deliveries, reason, at }],
          )
          .toReversed(),
      ),
  };
}

/** What may not follow takes all of it back. */
function settle(kept: Kept, { lease, at, derived }: SettledMessage): Result<void, LeaseLost | QueueRefusal> {
  const entry = heldBy(kept, lease);
  if (entry === null || (entry.until ?? "") <= at) return err({ code: "lease_lost" });
  const { entries, added } = kept;
  kept.entries = entries.filter((one) => one !== entry);
  for (const made of derived) {
    const problem = derivedProblem(entry.message, made.message);
    const sent = problem === null ? add(kept, { ...made, at }) : err(problem);
    if (sent.ok) continue;
    Object.assign(kept, { entries, added });
    return sent;
  }
  kept.processed.add(`${lease.consumer}\n${lease.messageId}`);
  return ok();
}

type Coming = { readonly reason: DeadReason; readonly at: Instant; readonly deliveriesMax: number };

const waitingIn = ({ entries }: Kept, queue: QueueName): readonly Entry[] =>
  entries
    .filter((entry) => entry.queue === queue && entry.state === "waiting")
    .toSorted((a, b) => a.turn - b.turn || a.position - b.position);

const firstTurn = (kept: Kept, queue: QueueName): number => waitingIn(kept, queue)[0]?.turn ?? 1;

function add(kept: Kept, { queue, message }: Sent): Result<"added" | "known", QueueRefusal> {
  if (!isRouted(message, queue)) return err({ code: "message_unrouted" });
  const text = queueMessageText(message);
  if (!text.ok) return text;
  const same = kept.entries.find((one) => one.queue === queue && one.message.messageId === message.messageId);
  if (same !== undefined) return same.text === text.value ? ok("known") : err({ code: "message_differs" });
  const own = waitingIn(kept, queue).findLast((one) => one.message.scopeId === message.scopeId);
  const turn = own === undefined ? firstTurn(kept, queue) : own.turn + 1;
  kept.added += 1;
  const fresh = { state: "waiting", deliveries: 0, fence: 0, until: null, reason: null, deadAt: null } as const;
  kept.entries.push({ queue, message, text: text.value, position: kept.added, turn, ...fresh });
  return ok("added");
}

function next(kept: Kept, { queue, messageId, countMax }: LeaseAsked): readonly Entry[] {
  const waiting = waitingIn(kept, queue);
  if (messageId !== undefined) return waiting.filter(({ message }) => message.messageId === messageId);
  return waiting.slice(0, Math.min(countMax, LIMITS.leaseBatch));
}

function take(
  kept: Kept,
  { entry, asked }: { readonly entry: Entry; readonly asked: LeaseAsked },
): readonly LeasedMessage[] {
  const { queue, consumer } = asked;
  const { messageId } = entry.message;
  if (kept.processed.has(`${consumer}\n${messageId}`)) {
    kept.entries = kept.entries.filter((one) => one !== entry);
    return [];
  }
  kept.fence += 1;
  const delivery = entry.deliveries + 1;
  Object.assign(entry, { state: "leased", fence: kept.fence, until: untilOf(asked), deliveries: delivery });
  return [{ queue, consumer, messageId, fence: kept.fence, message: entry.message, delivery }];
}

const heldBy = ({ entries }: Kept, { queue, messageId, fence }: Lease): Entry | null =>
  entries.find(
    (one) =>
      one.queue === queue && one.message.messageId === messageId && one.state === "leased" && one.fence === fence,
  ) ?? null;

function waitUncounted(kept: Kept, entry: Entry): "waits" {
  entry.deliveries -= 1;
  return wait(kept, entry);
}

function wait(kept: Kept, entry: Entry): "waits" {
  const turn = firstTurn(kept, entry.queue);
  Object.assign(entry, { state: "waiting", until: null, turn });
  return "waits";
}
