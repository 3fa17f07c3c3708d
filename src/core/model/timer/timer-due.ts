import * as z from "zod/mini";
import { LIMITS } from "#base";
import { recordOf } from "../approval/record-codec.ts";
import { instantSchema } from "../values.ts";

/** The owner comes first, then the thing: `goal:weekly-report`. */
export const timerKey = z.string().check(z.regex(/^[a-z][a-z_]{0,31}:[A-Za-z0-9][A-Za-z0-9._:@-]{0,159}$/));

const skipped = z.strictObject({
  count: z.int().check(z.gte(1)),
  since: instantSchema,
  until: instantSchema,
  /** `busy`: they fell into a run of the same timer that was not over. */
  reason: z.enum(["missed", "busy"]),
});

/**
 * A timer is due, or times of it were skipped. `run`: act for this time. `skip` and `ask`: act on none of the skipped
 * times, and record or ask about them. `replan`: the clock was set back from this time, and the schedule begins anew.
 */
export const timerDuePayload = recordOf(
  z.strictObject({
    key: timerKey,
    owner: z.string().check(z.regex(/^[a-z][a-z_]{0,31}$/)),
    how: z.enum(["run", "skip", "ask", "replan"]),
    due_at: instantSchema,
    is_missed: z.boolean(),
    skipped: z.nullable(skipped),
  }),
);
export type TimerDue = z.infer<typeof timerDuePayload>;
export type SkippedTimes = NonNullable<TimerDue["skipped"]>;

/** A key is short enough for the work that a dead message names. */
export const timerSubject = (key: string): string | null => (key.length <= LIMITS.idChars ? key : null);
