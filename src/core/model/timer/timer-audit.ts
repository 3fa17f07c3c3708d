import * as z from "zod/mini";
import { plainMoment } from "#base";
import { instantSchema } from "../values.ts";
import { PROBLEM_WORDS, TIMER_PROBLEMS } from "./timer.ts";

const key = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}$/));

/** What the audit chain says about timers. Goals and suggestions have entries of their own for skipped times. */
export const timerAuditSchemas = {
  /** Times that were due and are not made up for. */
  timer_skipped: z.strictObject({
    key,
    count: z.int().check(z.gte(1)),
    since: instantSchema,
    until: instantSchema,
    reason: z.enum(["missed", "busy"]),
  }),
  /** A stored timer cannot be used. It stays, and is not due any more. */
  timer_disabled: z.strictObject({ key, reason: z.enum(TIMER_PROBLEMS) }),
} as const;

type TimerEvent = keyof typeof timerAuditSchemas;
type Sentences = { readonly [E in TimerEvent]: (data: z.infer<(typeof timerAuditSchemas)[E]>) => string };

export const timerSentences: Sentences = {
  timer_skipped: ({ key: name, count, since, until, reason }) =>
    `Skipped the timer ${name} ${count === 1 ? "once" : `${count} times`}, due from ${plainMoment(since)} to ${plainMoment(until)}: ${
      reason === "busy" ? "its last run was not over" : "Silas could not act then"
    }`,
  timer_disabled: ({ key: name, reason }) => `Disabled the timer ${name}: ${PROBLEM_WORDS[reason]}`,
};
