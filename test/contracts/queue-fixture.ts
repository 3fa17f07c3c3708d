import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { sha256Hex } from "#base";
import type { LeasedMessage, Queue } from "#engine";
import { decidedOf, userMessageOf, timerDueOf, type MessageOf, type QueueMessage, type RecordId } from "#model";
import { createAuditRules } from "#policy";
import { openMigratedRuntime, QUEUE_STATES } from "#sim";
import type { RuntimeStores } from "#stores";
import { BY } from "./approval-fixture.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

export type Opened = RuntimeStores & {
  readonly dataDir: string;
  /** The same file, beside the store: as another process has it, or somebody with access to the file. */
  readonly file: DatabaseSync;
};
type LeaseRequest = Parameters<Queue["lease"]>[0];

const auditRules = createAuditRules(sha256Hex);

/** A file in a directory of its own, or a further connection to one that is open. */
export async function openQueue(dataDir = join(tempDir(), "data")): Promise<Opened> {
  const opened = must(await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  const file = new DatabaseSync(join(dataDir, "silas.db"));
  onTestFinished(() => {
    file.close();
    opened.close();
  });
  return { ...opened, dataDir, file };
}

/** For many short lives: opened, used and removed. */
export async function inQueue<T>(work: (queue: Queue) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "silas-queue-"));
  const opened = must(await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  try {
    return await work(opened.queue);
  } finally {
    opened.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Has an order key of its own. */
export const dispatchNamed = (id: string, over: Partial<MessageOf<"decided">> = {}): MessageOf<"decided"> => ({
  ...decidedOf({
    requestId: "request",
    kind: "plan_approval",
    at: at(0),
    actor: BY,
    run: { runId: id, workItemId: "item" },
  }),
  id,
  ...over,
});

/** Waits behind those of the same scope. */
export const questionNamed = (
  id: string,
  scopeId: string,
  over: Partial<MessageOf<"user_message">> = {},
): MessageOf<"user_message"> => ({
  ...userMessageOf({ messageId: id as RecordId, scopeId, taint: "owner", sources: [] }, at(0)),
  id,
  ...over,
});

export const requestOf = (over: Partial<LeaseRequest> = {}): LeaseRequest => ({
  kinds: ["decided"],
  holder: "one",
  countMax: 10,
  at: at(0),
  leaseMs: 60_000,
  deliveriesMax: 5,
  ...over,
});

type Queued = { readonly queue: Queue };

export const send = async ({ queue }: Queued, message: QueueMessage, minutes = 0): Promise<string> =>
  must(await queue.enqueue(message, at(minutes)));

export const lease = ({ queue }: Queued, over: Partial<LeaseRequest> = {}): Promise<readonly LeasedMessage[]> =>
  queue.lease(requestOf(over));

export async function leaseOne(opened: Queued, over: Partial<LeaseRequest> = {}): Promise<LeasedMessage> {
  const [one] = await lease(opened, { countMax: 1, ...over });
  if (one === undefined) throw new Error("nothing is ready");
  return one;
}

export const idsOf = (leased: readonly { readonly id: string }[]): readonly string[] => leased.map(({ id }) => id);

export const failedAt = (minutes: number) =>
  ({ back: { how: "failed", reason: "handling_failed" }, at: at(minutes), deliveriesMax: 5 }) as const;
export const unusedAt = (minutes: number) => ({ ...failedAt(minutes), back: { how: "unused" } }) as const;
export const hopelessAt = (minutes: number) =>
  ({ ...failedAt(minutes), back: { how: "hopeless", reason: "not_understood" } }) as const;

/** What the chain tells of messages, oldest first. */
export async function messageEvents({ audit }: Opened): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 }));
  return entries.toReversed().flatMap(({ event }) => (event.startsWith("message_") ? [event] : []));
}

export const statesIn = ({ file }: Opened): readonly string[] =>
  file
    .prepare(`SELECT message_id || ' ' || state AS line FROM ${QUEUE_STATES} ORDER BY position`)
    .all()
    .map(({ line }) => String(line));

/** What a handler writes, in the commit that settles its message. */
export async function inCommit({ queue }: Pick<RuntimeStores, "queue">, write: () => void): Promise<void> {
  const due = { key: "goal:page", owner: "goal", how: "skip", dueAt: at(4), isMissed: true, skipped: null } as const;
  must(await queue.enqueue(timerDueOf(due, at(4)), at(4)));
  const asked = {
    kinds: ["timer_due"],
    holder: "test",
    countMax: 1,
    at: at(4),
    leaseMs: 60_000,
    deliveriesMax: 5,
  } as const;
  const [leased] = await queue.lease(asked);
  if (leased === undefined) throw new Error("nothing was leased");
  must(await queue.settle({ lease: leased, at: at(4), write }));
}
