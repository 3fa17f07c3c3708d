import * as z from "zod/mini";
import { recordOf } from "../approval/record-codec.ts";
import { REQUEST_KINDS } from "../cards.ts";
import { timerDuePayload } from "../timer/timer-due.ts";
import { id } from "../values.ts";

/** The inbox of each role, as the audit chain names it. [BUS-19] */
export const QUEUES = ["proxy_queue", "planner_queue", "executor_queue", "runtime_queue"] as const;
export type QueueName = (typeof QUEUES)[number];

export const SENDERS = ["user", "proxy", "planner", "executor", "runtime"] as const;
export type Sender = (typeof SENDERS)[number];

type KindRow = {
  readonly payload: z.ZodMiniType;
  /** Any other sender is refused and recorded. [BUS-20] [BUS-21] */
  readonly sentBy: readonly Sender[];
  readonly queue: QueueName;
  /** Messages with the same key are handled one at a time, in the order they were sent. */
  readonly orderBy: "scope" | "subject";
  /** Whether the ids of handled messages stay, so that one which is sent again is known. */
  readonly handledIds: "kept" | "dropped";
  /** What the owner sees when nobody could act on it: what did not happen, by the work it is about, and what to do now. */
  readonly dead: { readonly what: (work: string | null) => string; readonly next: string };
};

const consulted = z.strictObject({ consultation_id: id, run_id: id, work_item_id: id });

/**
 * Every kind of message: what it carries, who may send it, where it goes, what it waits behind, and what its death means to the
 * owner. A payload names records and never grants anything: handlers load plan, approval and text from the stores. [BUS-02]
 */
export const KINDS = {
  user_message: {
    payload: recordOf(z.strictObject({ message_id: id })),
    sentBy: ["user"],
    queue: "proxy_queue",
    orderBy: "scope",
    handledIds: "kept",
    dead: { what: () => "answer a message", next: "say it again" },
  },
  consult_planner: {
    payload: recordOf(consulted),
    sentBy: ["runtime"],
    queue: "planner_queue",
    orderBy: "subject",
    handledIds: "kept",
    dead: {
      what: (work) => `ask the planner for advice${work === null ? "" : ` about ${work}`}`,
      next: "the run goes on without advice",
    },
  },
  replan_request: {
    payload: recordOf(consulted),
    sentBy: ["runtime"],
    queue: "planner_queue",
    orderBy: "subject",
    handledIds: "kept",
    dead: {
      what: (work) => `ask the planner for another way${work === null ? "" : ` for ${work}`}`,
      next: "propose another plan",
    },
  },
  /** The owner decided, or a run may begin by an earlier decision; it names that run. [WORK-06] [FLOW-06] */
  decided: {
    payload: recordOf(
      z.strictObject({
        request_id: id,
        kind: z.enum(REQUEST_KINDS),
        run_id: z.optional(id),
        work_item_id: z.optional(id),
      }),
    ),
    sentBy: ["runtime"],
    queue: "runtime_queue",
    orderBy: "subject",
    handledIds: "kept",
    dead: {
      what: (work) => (work === null ? "carry out a decision" : `begin ${work}`),
      next: "propose the plan again",
    },
  },
  /** A timer is due. Its row moves on in the commit that sends this, so that no time is sent twice. [TIMER-03] */
  timer_due: {
    payload: timerDuePayload,
    sentBy: ["runtime"],
    queue: "runtime_queue",
    orderBy: "subject",
    handledIds: "dropped",
    dead: {
      what: (work) => (work === null ? "act on a timer" : `act on the timer ${work}`),
      next: "silas timers has its next time",
    },
  },
} as const satisfies { readonly [kind: string]: KindRow };

export type MessageKind = keyof typeof KINDS;
export type PayloadOf<K extends MessageKind> = z.infer<(typeof KINDS)[K]["payload"]>;
export const isMessageKind = (kind: string): kind is MessageKind => Object.hasOwn(KINDS, kind);

/** The kind that an id names: each id begins with its kind, so that a message which cannot be read still has one. */
export function kindOfId(messageId: string): MessageKind | null {
  const [kind = "", subject] = messageId.split(":");
  return subject !== undefined && isMessageKind(kind) ? kind : null;
}
