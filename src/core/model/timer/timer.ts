import * as z from "zod/mini";
import { sha256Hex, type Instant } from "#base";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import type { MessageOf } from "../bus/queue-message.ts";
import { scheduleWords } from "../goal/goal-lines.ts";
import { instantSchema } from "../values.ts";
import type { TimerDue } from "./timer-due.ts";

/** What happens to times that passed while nobody could act on them. */
const MISSED_POLICIES = ["once", "all", "skip", "ask"] as const;
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

/** Why a timer that was found is not used. */
export const TIMER_PROBLEMS = ["owner_unknown", "schedule_unreadable"] as const;
export type TimerProblem = (typeof TIMER_PROBLEMS)[number];

/** When a timer is due: five cron fields (or `always_on`), an interval in minutes, or one instant. */
export type TimerSchedule =
  | { readonly kind: "cron"; readonly cron: string }
  | { readonly kind: "every"; readonly minutes: number }
  | { readonly kind: "once"; readonly at: Instant };

const EVERY = /^every ([1-9]\d{0,6}) minutes$/;

/** Reads the stored text of a schedule. Whether cron fields mean anything is for the calendar to say. */
export function readSchedule(text: string): TimerSchedule {
  const minutes = EVERY.exec(text)?.[1];
  if (minutes !== undefined) return { kind: "every", minutes: Number(minutes) };
  const instant = instantSchema.safeParse(text);
  return instant.success ? { kind: "once", at: instant.data } : { kind: "cron", cron: text };
}

export const everyMinutes = (minutes: number): string => `every ${minutes} minutes`;

/** A timer as a list shows it. */
export const timerSchema = recordOf(
  z.strictObject({
    key: z.string(),
    owner: z.string(),
    schedule: z.string(),
    /** The zone in which cron fields are read; null for an interval or an instant. */
    time_zone: z.nullable(z.string()),
    policy: z.enum(MISSED_POLICIES),
    grace_minutes: z.number(),
    /** Null when nothing is planned: an instant that passed, or something that is paused. */
    next_due: z.nullable(instantSchema),
    /** Every time up to this one was acted on or recorded as skipped. */
    settled_through: z.nullable(instantSchema),
    problem: z.nullable(z.enum(TIMER_PROBLEMS)),
  }),
);
export type Timer = z.infer<typeof timerSchema>;
export const timerToWire = writerOf(timerSchema);

export function timerWords(schedule: string): string {
  const read = readSchedule(schedule);
  if (read.kind === "cron") return scheduleWords(read.cron);
  return read.kind === "every" ? intervalWords(read.minutes) : "once";
}

function intervalWords(minutes: number): string {
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, "day"] : minutes % 60 === 0 ? [minutes / 60, "hour"] : [minutes, "minute"];
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}

export const PROBLEM_WORDS: { readonly [P in TimerProblem]: string } = {
  owner_unknown: "this version does not know its owner",
  schedule_unreadable: "its schedule cannot be read",
};

/**
 * Tells the owner of a timer that it is due. The id follows from the timer and the time, so that one time is told once.
 */
export function timerDueOf(due: TimerDue, at: Instant): MessageOf<"timer_due"> {
  const id = `timer_due:${sha256Hex(`${due.key}@${due.dueAt}`).slice(0, 40)}`;
  return {
    id,
    kind: "timer_due",
    sentBy: "runtime",
    scopeId: "owner",
    traceId: id,
    taint: "owner",
    createdAt: at,
    payload: due,
  };
}
