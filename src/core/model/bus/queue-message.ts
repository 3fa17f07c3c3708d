import * as z from "zod/mini";
import { err, ok, parseInstant, type Instant, type Result } from "#base";
import { snakeRecord } from "../approval/record-codec.ts";
import { acceptorOf, type Acceptor } from "../audit/acceptor.ts";
import { TAINTS, taintSchema, type Taint } from "../message/taint.ts";
import { timerSubject } from "../timer/timer-due.ts";
import { id as idSchema, instantSchema, isId } from "../values.ts";
import { isMessageKind, KINDS, SENDERS, type MessageKind, type PayloadOf, type Sender } from "./kinds.ts";

type Envelope = {
  /** The same id is handled once, however often it is sent or delivered. [BUS-15] */
  readonly id: string;
  readonly sentBy: Sender;
  readonly scopeId: string;
  /** The same in every message that follows from one beginning. [BUS-08] */
  readonly traceId: string;
  /** Has no default: the sender states it. [BUS-09] */
  readonly taint: Taint;
  readonly createdAt: Instant;
};
export type MessageOf<K extends MessageKind> = Envelope & { readonly kind: K; readonly payload: PayloadOf<K> };
/** One message on the queue. [BUS-01] */
export type QueueMessage = { readonly [K in MessageKind]: MessageOf<K> }[MessageKind];

const envelopeSchema = z.strictObject({
  message_id: idSchema,
  message_kind: z.string(),
  sender: z.enum(SENDERS),
  scope_id: idSchema,
  trace_id: idSchema,
  taint: taintSchema,
  created_at: instantSchema,
  payload: z.record(z.string(), z.json()),
});

export type MessageProblem = { readonly code: "message_malformed" | "message_kind_unknown" };

/** Unknown in, a whole message out. Unknown fields, kinds and values are refused. */
export function parseQueueMessage(body: unknown): Result<QueueMessage, MessageProblem> {
  const envelope = envelopeSchema.safeParse(body);
  if (!envelope.success) return err({ code: "message_malformed" });
  const { message_id: id, message_kind: kind, sender: sentBy, ...rest } = envelope.data;
  if (!isMessageKind(kind)) return err({ code: "message_kind_unknown" });
  const payload = KINDS[kind].payload.safeParse(rest.payload);
  if (!payload.success) return err({ code: "message_malformed" });
  const { scope_id: scopeId, trace_id: traceId, taint, created_at: createdAt } = rest;
  const message = { id, kind, sentBy, scopeId, traceId, taint, createdAt, payload: payload.data };
  // The payload was parsed by the schema of this kind.
  return ok(message as QueueMessage);
}

/** The message in the names of the wire. */
export function queueMessageToWire(message: QueueMessage) {
  const { id, kind, sentBy, payload, scopeId, traceId, taint, createdAt } = message;
  return {
    message_id: id,
    message_kind: kind,
    sender: sentBy,
    scope_id: scopeId,
    trace_id: traceId,
    taint,
    created_at: createdAt,
    payload: snakeRecord(payload),
  };
}

/** The stored text of a message, or the reason why it may not be sent. */
export function queueMessageText(message: QueueMessage): Result<string, MessageProblem> {
  const wire = queueMessageToWire(message);
  return isWhole(message, wire.payload) ? ok(JSON.stringify(wire)) : err({ code: "message_malformed" });
}

/**
 * Whether its text will be read back as this message. INVARIANT: the same answer as `parseQueueMessage` gives for that
 * text; a message has the type already, so that only the forms of its fields are left to check. A payload is read by its
 * schema alone, because the codec around it changes the names and refuses nothing.
 */
function isWhole({ id, kind, sentBy, scopeId, traceId, taint, createdAt }: QueueMessage, payload: object): boolean {
  return (
    isId(id) &&
    isId(scopeId) &&
    isId(traceId) &&
    SENDERS.includes(sentBy) &&
    TAINTS.includes(taint) &&
    parseInstant(createdAt).ok &&
    (accepts[kind]?.(payload) || KINDS[kind].payload.def.in.safeParse(payload).success)
  );
}

const accepts: { readonly [kind: string]: Acceptor | null } = Object.fromEntries(
  Object.entries(KINDS).map(([kind, { payload }]) => [kind, acceptorOf(payload.def.in)]),
);

export const isSenderAllowed = ({ kind, sentBy }: Pick<QueueMessage, "kind" | "sentBy">): boolean =>
  (KINDS[kind].sentBy as readonly Sender[]).includes(sentBy);

/** Messages with the same key are handled one at a time, in the order they were sent. */
export function orderKeyOf(message: QueueMessage): string {
  const { queue, orderBy } = KINDS[message.kind];
  return `${queue}:${orderBy === "scope" ? message.scopeId : subjectOf(message)}`;
}

/** The work that a message is about; null when it is about none. */
export function workItemOf({ payload }: QueueMessage): string | null {
  if ("key" in payload) return timerSubject(payload.key);
  return "workItemId" in payload ? (payload.workItemId ?? null) : null;
}

function subjectOf({ payload, id }: QueueMessage): string {
  if ("key" in payload) return payload.key;
  return ("runId" in payload && payload.runId) || id;
}
