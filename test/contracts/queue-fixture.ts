import { dispatchOf, type QueueMessage, type QueueName } from "#model";
import type { ApprovalStore, AuditLog, LeaseAsked, LeasedMessage, QueueStore } from "#ports";
import { BY } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";

export type Opened = { readonly queue: QueueStore; readonly audit: AuditLog; readonly approvals: ApprovalStore };

const RUNTIME = "runtime_queue";

export const messageNamed = (name: string, over: Partial<QueueMessage> = {}): QueueMessage => ({
  ...dispatchOf({ runId: name, workItemId: "item", at: at(0), actor: BY }),
  messageId: name,
  ...over,
});

export const askFor = (over: Partial<LeaseAsked> = {}): LeaseAsked => ({
  queue: RUNTIME,
  consumer: "reader",
  countMax: 10,
  at: at(0),
  leaseMs: 60_000,
  deliveriesMax: 5,
  ...over,
});

export const send = async ({ queue }: Opened, message: QueueMessage, to: QueueName = RUNTIME): Promise<string> =>
  must(await queue.enqueue({ queue: to, message, at: at(0) }));

export const lease = async ({ queue }: Opened, over: Partial<LeaseAsked> = {}): Promise<readonly LeasedMessage[]> =>
  must(await queue.lease(askFor(over)));

export async function leaseOne(opened: Opened, over: Partial<LeaseAsked> = {}): Promise<LeasedMessage> {
  const [one] = await lease(opened, { countMax: 1, ...over });
  if (one === undefined) throw new Error("nothing waits");
  return one;
}

export const namesOf = (leased: readonly { readonly messageId: string }[]): readonly string[] =>
  leased.map(({ messageId }) => messageId);

export const failedAt = (minutes: number) =>
  ({ how: "failed", reason: "handling_failed", at: at(minutes), deliveriesMax: 5 }) as const;
