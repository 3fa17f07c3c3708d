import { instantFromMs, msOfInstant, type Instant } from "#base";
import { parseQueueMessage, type AuditDraft, type DeadReason, type QueueMessage, type QueueName } from "#model";
import type { DeadLetter, LeaseSpan, Sent } from "#ports";
import { unlessDamaged, whole, wholeJson } from "../store-fault.ts";

/** Rows of queues as the values of `#model`, and the audit entries of the queue store. */

export type QueueRow = {
  readonly queue: QueueName;
  readonly message_id: string;
  readonly scope_id: string;
  readonly state: "waiting" | "leased" | "dead";
  readonly deliveries: number;
  readonly fence: number | null;
  readonly lease_until: string | null;
  readonly reason: string | null;
  readonly dead_at: string | null;
  readonly message: string;
};

export function messageIn({ message }: Pick<QueueRow, "message">): QueueMessage {
  const kept = "BUS-01 a kept message is whole";
  const parsed = parseQueueMessage(wholeJson(message, kept));
  return whole(parsed.ok ? parsed.value : null, kept);
}

/** Null when it cannot be read. */
export const readableMessage = (row: Pick<QueueRow, "message">): QueueMessage | null =>
  unlessDamaged(() => messageIn(row))?.[0] ?? null;

export const deadLetterOf = (row: QueueRow): DeadLetter => ({
  messageId: row.message_id,
  message: readableMessage(row),
  reason: row.reason as DeadReason,
  deliveries: row.deliveries,
  at: row.dead_at as Instant,
});

export const untilOf = ({ at, leaseMs }: LeaseSpan): Instant => {
  const until = instantFromMs(msOfInstant(at) + leaseMs);
  return until.ok ? until.value : at;
};

type Died = Pick<QueueRow, "queue" | "message_id" | "deliveries" | "message"> & {
  readonly reason: DeadReason;
  readonly at: Instant;
};

export const deadDraft = ({ at, queue, message_id, deliveries, reason, message }: Died): AuditDraft => ({
  event: "message_dead",
  data: { message_id, queue, work_item_id: readableMessage({ message })?.taskId ?? null, deliveries, reason },
  at,
  actor: { kind: "system" },
});

export const unroutedDraft = ({ queue, message, at }: Sent): AuditDraft => ({
  event: "message_unrouted",
  data: { message_id: message.messageId, sender: message.sender, message_kind: message.messageKind, queue },
  at,
  actor: { kind: "system" },
});
