import * as z from "zod/mini";
import type { NameOf } from "../work/work-names.ts";
import { KINDS, kindOfId, QUEUES, SENDERS, type QueueName } from "./kinds.ts";
import { id } from "../values.ts";

/** The ten kinds of the specification, which entries of earlier versions name, and ours. */
const NAMED_KINDS = [
  "user_message",
  "plan_request",
  "plan_result",
  "research_request",
  "research_result",
  "execution_status",
  "consult_planner",
  "planner_guidance",
  "replan_request",
  "system_event",
  "decided",
  "timer_due",
] as const;

const count = z.int().check(z.gte(0));

/** Why a message is delivered no more. */
export const DEAD_REASONS = [
  "handling_failed",
  "grant_missing",
  "lease_expired",
  "unreadable",
  "not_understood",
] as const;
export type DeadReason = (typeof DEAD_REASONS)[number];

/** What the audit chain says about the bus. What is delivered as it should be says it by what follows from it. */
export const busAuditSchemas = {
  /** Nobody could act on it: it is kept, and delivered no more. [BUS-13] */
  message_dead: z.strictObject({
    message_id: id,
    queue: z.enum(QUEUES),
    /** The work it is about, if that can be told. */
    work_item_id: z.nullable(id),
    deliveries: count,
    reason: z.enum(DEAD_REASONS),
  }),
  /** Somebody sent what no route allows; it was delivered to nobody. [BUS-21] */
  message_unrouted: z.strictObject({
    message_id: id,
    sender: z.enum(SENDERS),
    message_kind: z.enum(NAMED_KINDS),
    queue: z.enum(QUEUES),
  }),
} as const;

type BusEvent = keyof typeof busAuditSchemas;
type Sentences = { readonly [E in BusEvent]: (data: z.infer<(typeof busAuditSchemas)[E]>, nameOf: NameOf) => string };

export const busSentences: Sentences = {
  message_dead: ({ message_id, queue, work_item_id: item, ...why }, nameOf) => {
    const work = item === null ? null : nameOf(item);
    const kind = kindOfId(message_id);
    const what = kind === null ? doneBy(queue, work) : KINDS[kind].dead.what(work);
    return `Could not ${what}: ${deadWords(why)}`;
  },
  message_unrouted: ({ sender, message_kind, queue }) =>
    `Refused a message (${message_kind}) of ${sender} to ${queue}: no route allows it`,
};

/** For messages of earlier versions, whose ids name no kind that there is now. */
const doneBy = (queue: QueueName, work: string | null): string =>
  queue === "proxy_queue" ? "answer a message" : `begin ${work ?? "something that was granted"}`;

/** Why nobody acts on it any more, after so many tries. */
export const deadWords = ({
  reason,
  deliveries,
}: {
  readonly reason: DeadReason;
  readonly deliveries: number;
}): string => `${REASONS[reason]}${deliveries > 1 ? `, ${deliveries} times` : ""}`;

const REASONS: { readonly [R in DeadReason]: string } = {
  handling_failed: "it failed before it began",
  grant_missing: "what granted it was not to be found",
  lease_expired: "whoever took it was not heard of again",
  unreadable: "the message about it cannot be read",
  not_understood: "the message about it says something unknown",
};
