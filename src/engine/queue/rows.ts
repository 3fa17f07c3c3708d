/** What a row of the table `queue` holds: one message, or a text that nobody can read. */
import { err, parseStrictJson, type Instant, type Result } from "#base";
import { KINDS, parseQueueMessage, workItemOf, type AuditDraft, type DeadReason, type QueueMessage } from "#model";

export type QueueText = { readonly kind: string; readonly message: string };

export type QueueRow = QueueText & {
  readonly position: number;
  readonly message_id: string;
  readonly order_key: string;
  readonly deliveries: number;
  readonly fence: number;
};

/** Null when the stored text is no message of its kind. */
export function readMessage(row: QueueText): QueueMessage | null {
  const message = messageIn(row);
  return message.ok ? message.value : null;
}

export function messageIn({ kind, message }: QueueText): Result<QueueMessage, DeadReason> {
  const json = parseStrictJson(message);
  if (!json.ok) return err("unreadable");
  const parsed = parseQueueMessage(json.value);
  if (parsed.ok) return parsed.value.kind === kind ? parsed : err("unreadable");
  return err(parsed.error.code === "message_kind_unknown" ? "not_understood" : "unreadable");
}

export type DeadLetter = {
  readonly id: string;
  /** Null when it cannot be read. */
  readonly message: QueueMessage | null;
  readonly reason: DeadReason;
  readonly deliveries: number;
  readonly at: Instant;
};

export type DeadRow = QueueText & {
  readonly message_id: string;
  readonly deliveries: number;
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

type Death = { readonly at: Instant; readonly reason: DeadReason };

export function deadDraft(row: QueueRow, { at, reason }: Death): AuditDraft {
  const message = readMessage(row);
  return {
    event: "message_dead",
    data: {
      message_id: row.message_id,
      queue: message === null ? "runtime_queue" : KINDS[message.kind].queue,
      work_item_id: message === null ? null : workItemOf(message),
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
