import * as z from "zod/mini";
import { plainMoment } from "#base";
import { digest, id, instantSchema, maxLength } from "../values.ts";
import type { NameOf } from "../work/work-names.ts";
import { goalReason } from "./goal-lines.ts";
import { CYCLE_ENDS } from "./goal-records.ts";
import { STREAM_END_WORDS, STREAM_ENDS } from "./stream-records.ts";

const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const count = z.int().check(z.gte(0));
const goal = { goal_id: id };
const cycle = { ...goal, cycle: count };
const stream = { ...goal, request_id: id, plan_hash: digest };

/** What the audit chain says about goals: names, codes and counts, never what a check printed. */
export const goalAuditSchemas = {
  /** An approved goal is looked after from now on, by this approval. */
  goal_scheduled: z.strictObject({ ...goal, request_id: id, plan_hash: digest }),
  goal_paused: z.strictObject(goal),
  goal_resumed: z.strictObject(goal),
  /** Every look, also when all was well. The places of failed checks in the plan. [GOAL-01] */
  goal_checked: z.strictObject({ ...cycle, checks: count, failed: z.array(count).check(maxLength(100)) }),
  /** The one task that was made of a failure, before anything is used or asked for it. [GOAL-03] */
  goal_repair_made: z.strictObject({ ...cycle, task_id: id, task_hash: digest }),
  /** Why the owner is asked rather than the standing approval used. */
  goal_asked: z.strictObject({ ...cycle, task_id: id, request_id: id, reason: code }),
  /** Items that were found, and how they are asked about: nothing is done to any of them before that is decided. */
  goal_items_asked: z.strictObject({ ...cycle, candidates: count, in_batches: count, in_questions: count }),
  goal_cycle_ended: z.strictObject({ ...cycle, ended: z.enum(CYCLE_ENDS), reason: z.nullable(code) }),
  /** Checks that were due and are not made up for. */
  goal_checks_skipped: z.strictObject({
    ...goal,
    count,
    since: instantSchema,
    until: instantSchema,
    reason: z.enum(["missed", "busy", "asked"]),
  }),
  /** The owner decided that checks about which was asked are not made up for. */
  goal_checks_left: z.strictObject({ ...goal, count }),
  /** The clock was set back, and the schedule begins anew from what it shows. */
  goal_replanned: z.strictObject({ ...goal, planned_until: instantSchema }),
  /** From here on its gates and levels are in force for messages and replies, beside the configuration. [WORK-06] */
  stream_loaded: z.strictObject(stream),
  stream_replaced: z.strictObject({ ...stream, replaced_goal_id: id, replaced_request_id: id }),
  /** Somebody decided so: paused, stopped, revoked, or replaced by what is not in force itself. */
  stream_taken_out: z.strictObject({ ...stream, reason: z.enum(STREAM_ENDS) }),
  /** What was approved cannot be verified, so that no message passes. */
  stream_unverified: z.strictObject({ ...stream, reason: code }),
} as const;

type GoalEvent = keyof typeof goalAuditSchemas;
type Sentences = { readonly [E in GoalEvent]: (data: z.infer<(typeof goalAuditSchemas)[E]>, nameOf: NameOf) => string };

export const goalSentences: Sentences = {
  goal_scheduled: ({ goal_id: name }, nameOf) => `${nameOf(name)} is looked after from now on`,
  goal_paused: ({ goal_id: name }, nameOf) => `Paused ${nameOf(name)}; it is not checked`,
  goal_resumed: ({ goal_id: name }, nameOf) => `${nameOf(name)} is checked again`,
  goal_checked: ({ goal_id: name, checks, failed }, nameOf) =>
    checks === 0
      ? `Looked after ${nameOf(name)}`
      : `Checked ${nameOf(name)}: ${checks - failed.length} of ${checks} passed`,
  goal_repair_made: ({ goal_id: name, task_id }, nameOf) =>
    `Made the repair ${task_id} of what failed in ${nameOf(name)}`,
  goal_asked: ({ goal_id: name, reason }, nameOf) => `Asked about a repair of ${nameOf(name)}: ${goalReason(reason)}`,
  goal_items_asked: ({ goal_id: name, in_batches, in_questions }, nameOf) =>
    `${nameOf(name)} asks about ${in_batches + in_questions === 1 ? "a file" : `${in_batches + in_questions} files`}`,
  goal_cycle_ended: ({ goal_id: name, ended, reason }, nameOf) =>
    `${nameOf(name)} ${END_WORDS[ended]}${reason === null ? "" : `: ${goalReason(reason)}`}`,
  goal_checks_skipped: ({ goal_id: name, count: many, since, until, reason }, nameOf) =>
    `Left out ${many === 1 ? "a check" : `${many} checks`} of ${nameOf(name)}, due ${spanWords(since, until)}: ${SKIP_WORDS[reason]}`,
  goal_checks_left: ({ goal_id: name, count: many }, nameOf) =>
    `Did not make up for ${many === 1 ? "a check" : `${many} checks`} of ${nameOf(name)} that ${many === 1 ? "was" : "were"} missed`,
  goal_replanned: ({ goal_id: name }, nameOf) => `The clock was set back; ${nameOf(name)} was scheduled anew`,
  stream_loaded: ({ goal_id: name }, nameOf) => `${nameOf(name)} is in force for messages from now on`,
  stream_replaced: ({ goal_id: name, replaced_goal_id: before }, nameOf) =>
    name === before
      ? `${nameOf(name)} was approved anew and is in force for messages in place of what it was`
      : `${nameOf(name)} is in force for messages in place of ${nameOf(before)}`,
  stream_taken_out: ({ goal_id: name, reason }, nameOf) =>
    `${nameOf(name)} is no longer in force for messages: ${STREAM_END_WORDS[reason]}`,
  stream_unverified: ({ goal_id: name, reason }, nameOf) =>
    `${nameOf(name)} cannot be verified (${goalReason(reason)}), so messages are blocked`,
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
const spanWords = (since: string, until: string): string =>
  since === until ? plainMoment(since) : `from ${plainMoment(since)} to ${plainMoment(until)}`;
