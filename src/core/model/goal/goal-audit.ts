import * as z from "zod/mini";
import { instantSchema } from "../values.ts";
import type { NameOf } from "../work/work-names.ts";
import { CYCLE_ENDS } from "./goal-records.ts";

const id = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/));
const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const count = z.int().check(z.gte(0));
const goal = { goal_id: id };
const cycle = { ...goal, cycle: count };

/** What the audit chain says about goals: names, codes and counts, never what a check printed. */
export const goalAuditSchemas = {
  /** An approved goal is looked after from now on, by this approval. */
  goal_scheduled: z.strictObject({ ...goal, request_id: id, plan_hash: digest }),
  goal_paused: z.strictObject(goal),
  goal_resumed: z.strictObject(goal),
  /** Every look, also when all was well. The places of failed checks in the plan. [GOAL-01] */
  goal_checked: z.strictObject({ ...cycle, checks: count, failed: z.array(count).check(z.maxLength(100)) }),
  /** The one task that was made of a failure, before anything is used or asked for it. [GOAL-03] */
  goal_repair_made: z.strictObject({ ...cycle, task_id: id, task_hash: digest }),
  /** Why the owner is asked rather than the standing approval used. */
  goal_asked: z.strictObject({ ...cycle, task_id: id, request_id: id, reason: code }),
  goal_cycle_ended: z.strictObject({ ...cycle, ended: z.enum(CYCLE_ENDS), reason: z.nullable(code) }),
  /** Checks that were due and are not made up for. */
  goal_checks_skipped: z.strictObject({
    ...goal,
    count,
    since: instantSchema,
    until: instantSchema,
    reason: z.enum(["missed", "busy", "asked"]),
  }),
  /** The clock was set back, and the schedule begins anew from what it shows. */
  goal_replanned: z.strictObject({ ...goal, planned_until: instantSchema }),
} as const;

type GoalEvent = keyof typeof goalAuditSchemas;
type Sentences = { readonly [E in GoalEvent]: (data: z.infer<(typeof goalAuditSchemas)[E]>, nameOf: NameOf) => string };

export const goalSentences: Sentences = {
  goal_scheduled: ({ goal_id: name }, nameOf) => `${nameOf(name)} is looked after from now on`,
  goal_paused: ({ goal_id: name }, nameOf) => `Paused ${nameOf(name)}; it is not checked`,
  goal_resumed: ({ goal_id: name }, nameOf) => `${nameOf(name)} is checked again`,
  goal_checked: ({ goal_id: name, checks, failed }, nameOf) =>
    `Checked ${nameOf(name)}: ${checks - failed.length} of ${checks} passed`,
  goal_repair_made: ({ goal_id: name, task_id }, nameOf) =>
    `Made the repair ${task_id} of what failed in ${nameOf(name)}`,
  goal_asked: ({ goal_id: name, reason }, nameOf) => `Asked about a repair of ${nameOf(name)} (${reason})`,
  goal_cycle_ended: ({ goal_id: name, ended, reason }, nameOf) =>
    `${nameOf(name)} ${END_WORDS[ended]}${reason === null ? "" : ` (${reason})`}`,
  goal_checks_skipped: ({ goal_id: name, count: many, since, until, reason }, nameOf) =>
    `Left out ${many === 1 ? "a check" : `${many} checks`} of ${nameOf(name)}, due ${spanWords(since, until)}: ${SKIP_WORDS[reason]}`,
  goal_replanned: ({ goal_id: name }, nameOf) => `The clock was set back; ${nameOf(name)} was scheduled anew`,
};

const END_WORDS = {
  healthy: "is well again after a repair",
  failed: "does not hold",
  blocked: "does not hold, and nothing was repaired",
  missed: "does not hold, and nobody decided on the repair in time",
} as const;
const SKIP_WORDS = {
  missed: "Silas could not look then",
  busy: "the look before was not over",
  asked: "Silas could not look then, and waits for your word",
} as const;
const spanWords = (since: string, until: string): string => (since === until ? since : `from ${since} to ${until}`);
