import * as z from "zod/mini";
import { err, isWellFormed, LIMITS, ok, type Result } from "#base";
import { recordOf, snakeRecord } from "../approval/record-codec.ts";
import { taintSchema } from "../message/taint.ts";
import { instantSchema } from "../values.ts";
import { MESSAGE_KINDS, SENDERS } from "./routes.ts";

const id = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/));
const count = z.int().check(z.gte(0));
const text = z.string().check(z.maxLength(LIMITS.textChars), z.refine<string>(isWellFormed, "invalid_text"));
/** What is carried and not believed: whoever acts on it reads it again from where it is kept. */
const carried = z.record(z.string(), z.json());

export const AGENTS = ["proxy", "planner", "executor", "runtime"] as const;
export const URGENCIES = ["background", "informational", "needs_attention"] as const;
export const ERROR_CODES = [
  "tool_failure",
  "budget_exceeded",
  "gate_blocked",
  "approval_denied",
  "verification_failed",
  "timeout",
] as const;
export const EXECUTION_STATUSES = ["running", "done", "failed", "stuck", "blocked", "verification_failed"] as const;
/** Statuses that say that something went wrong. [BUS-07] */
const WRONG: ReadonlySet<string> = new Set(["failed", "stuck", "blocked", "verification_failed"]);

/** A field that may be left out, and what that means. */
function orElse<T, I>(schema: z.ZodMiniType<T, I>, absent: NoInfer<T>) {
  return z.pipe(
    z.optional(schema),
    z.transform((value: T | undefined): T => value ?? absent),
  );
}
/** A field that may be left out or be null, which mean the same. */
const orNull = <T, I>(schema: z.ZodMiniType<T, I>) => orElse<T | null, I | null>(z.nullable(schema), null);

export const statusPayloadSchema = z.strictObject({
  status: z.enum(EXECUTION_STATUSES),
  detail: z.optional(z.nullable(text)),
  attempt_number: z.optional(z.nullable(count)),
  budget_remaining_tokens: z.optional(z.nullable(count)),
  budget_remaining_usd: z.optional(z.nullable(z.number().check(z.gte(0)))),
});

const headers = {
  error_code: z.enum(ERROR_CODES),
  retryable: z.boolean(),
  origin_agent: z.enum(AGENTS),
  attempt_number: count,
} as const;
export const errorPayloadSchema = z.strictObject({ ...headers, detail: text });

const constraints = z.strictObject({
  return_format: text,
  max_tokens: orElse(z.int().check(z.gte(1)), 500),
  tools_allowed: orElse(z.array(id).check(z.maxLength(LIMITS.planNames)), ["web_search", "read_file", "memory_search"]),
});

/** One message on the bus, in the names of the wire. Taint has no default: who makes a message says it. [BUS-01] [BUS-09] */
export const queueMessageSchema = recordOf(
  z.strictObject({
    /** What makes a delivery one: the same id is acted on once. [BUS-15] */
    message_id: id,
    /** The same in everything that follows from one beginning. [BUS-08] */
    trace_id: id,
    content: text,
    sender: z.enum(SENDERS),
    message_kind: z.enum(MESSAGE_KINDS),
    scope_id: id,
    taint: taintSchema,
    task_id: orNull(id),
    parent_task_id: orNull(id),
    work_item: orNull(carried),
    plan_markdown: orNull(text),
    approval_token: orNull(carried),
    artifacts: orNull(carried),
    constraints: orNull(constraints),
    payload: orNull(carried),
    error_code: orNull(headers.error_code),
    retryable: orNull(headers.retryable),
    origin_agent: orNull(headers.origin_agent),
    attempt_number: orNull(headers.attempt_number),
    urgency: orElse(z.enum(URGENCIES), "informational"),
    created_at: instantSchema,
  }),
);
export type QueueMessage = z.infer<typeof queueMessageSchema>;

export type MessageProblem = {
  readonly code:
    | "message_malformed"
    | "message_too_large"
    | "status_payload_missing"
    | "error_payload_missing"
    | "error_headers_missing"
    | "error_headers_differ";
};

/** Unknown in, a whole message out. Unknown fields and values are refused, and so is an error that says too little. */
export function parseQueueMessage(body: unknown): Result<QueueMessage, MessageProblem> {
  const parsed = queueMessageSchema.safeParse(body);
  if (!parsed.success) return err({ code: "message_malformed" });
  const code = errorProblem(parsed.data);
  return code === null ? ok(parsed.data) : err({ code });
}

/** The message as it is kept: fields that say nothing are left out. */
export function queueMessageToWire(message: QueueMessage): object {
  return Object.fromEntries(Object.entries(snakeRecord(message)).filter(([, value]) => value !== null));
}

/** The text of a message that may be sent, or why it may not. */
export function queueMessageText(message: QueueMessage): Result<string, MessageProblem> {
  const wire = queueMessageToWire(message);
  const whole = parseQueueMessage(wire);
  if (!whole.ok) return whole;
  const written = JSON.stringify(wire);
  return written.length > LIMITS.queueMessageChars ? err({ code: "message_too_large" }) : ok(written);
}

/** What is wrong with how a message tells of an error; null when nothing is. [BUS-05] [BUS-06] [BUS-07] */
function errorProblem(message: QueueMessage): MessageProblem["code"] | null {
  const { payload, messageKind } = message;
  const given = [message.errorCode, message.retryable, message.originAgent, message.attemptNumber];
  const isComplete = given.every((value) => value !== null);
  if (messageKind === "execution_status") {
    const status = statusPayloadSchema.safeParse(payload);
    if (!status.success) return "status_payload_missing";
    const isError = WRONG.has(status.data.status) || message.errorCode !== null;
    return isError && !isComplete ? "error_headers_missing" : null;
  }
  const isError =
    message.errorCode !== null || message.retryable !== null || Object.hasOwn(payload ?? {}, "error_code");
  if (!isError) return null;
  const error = errorPayloadSchema.safeParse(payload);
  if (!error.success) return "error_payload_missing";
  if (!isComplete) return "error_headers_missing";
  const { error_code, retryable, origin_agent, attempt_number } = error.data;
  const said = [error_code, retryable, origin_agent, attempt_number];
  return said.every((value, place) => value === given[place]) ? null : "error_headers_differ";
}
