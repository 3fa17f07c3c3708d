import * as z from "zod/mini";
import type { Instant, Sha256Hex } from "#base";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { digestSchema as digest, instantSchema, longId as id } from "../values.ts";
import { checkResultSchema } from "../work/run-records.ts";

/**
 * Goals that were approved and are checked again and again. A cycle is one look at a goal: its checks, and what came of
 * a failure. Checks change nothing, so a cycle that was interrupted in them is repeated; from the moment a repair is
 * made of what failed, every turn is kept before it is taken.
 */

/** Where a cycle stands. `asking` and `spending` are kept before they are done, so that a crash cannot double them. */
const CYCLE_STATES = ["spending", "asking", "waiting", "repairing", "rechecking", "ended"] as const;
/** `missed`: nobody decided in time. `blocked`: declined, or the repair could not be run at all. */
export const CYCLE_ENDS = ["healthy", "failed", "blocked", "missed"] as const;
export type CycleEnd = (typeof CYCLE_ENDS)[number];
/** `schedule` when it was due, `missed` when that was while nobody could look, `owner` when somebody asked. */
const CYCLE_TRIGGERS = ["schedule", "missed", "owner"] as const;
export type CycleTrigger = (typeof CYCLE_TRIGGERS)[number];

const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const count = z.int().check(z.gte(0));

/** The one task that was made of a failure, and what it stands on. */
const repairSchema = recordOf(
  z.strictObject({
    task_id: id,
    task_hash: digest,
    /** The attempt it runs as; chosen before anything is used. Null while the owner has not approved it. */
    run_id: z.nullable(id),
    /** The standing approval, or the one that the owner gave for this task. */
    token_id: z.nullable(id),
    /** The request by which the owner was asked. */
    request_id: z.nullable(id),
    /** Why the standing approval did not do; null where it did. */
    why_asked: z.nullable(code),
    /** How its run ended. */
    status: z.nullable(code),
  }),
);
export type Repair = z.infer<typeof repairSchema>;

/** What a look for items found, of a goal whose batches are reviewed. */
const foundSchema = recordOf(
  z.strictObject({
    /** Items it could ask about, those that were asked about before not among them. */
    candidates: count,
    /** How many of them are asked about in batches, and how many each by a question of their own. */
    in_batches: count,
    in_questions: count,
  }),
);
export type FoundItems = z.infer<typeof foundSchema>;

export const cycleSchema = recordOf(
  z.strictObject({
    goal_id: id,
    /** Counted from 1 for each goal. */
    number: z.int().check(z.gte(1)),
    /** The approval of the goal it looked at. */
    request_id: id,
    trigger: z.enum(CYCLE_TRIGGERS),
    /** When it should have begun; null when somebody asked for it. */
    due: z.nullable(instantSchema),
    /** Checks that were due as well and are not made up for. */
    skipped: count,
    state: z.enum(CYCLE_STATES),
    ended: z.nullable(z.enum(CYCLE_ENDS)),
    /** Whether checks that could have failed all passed; null before the end, and where that was not noted. [INV-03] */
    is_verified: z.prefault(z.nullable(z.boolean()), null),
    /** Why it ended so, where that is more than the checks. */
    reason: z.nullable(code),
    results: z.array(checkResultSchema),
    /** Null where nothing is looked for, or the look did not come to it. */
    found: z.prefault(z.nullable(foundSchema), null),
    repair: z.nullable(repairSchema),
    /** The checks again, after the repair. */
    recheck: z.nullable(z.array(checkResultSchema)),
    started_at: instantSchema,
    ended_at: z.nullable(instantSchema),
  }),
);
export type Cycle = z.infer<typeof cycleSchema>;
export type CycleBody = z.input<typeof cycleSchema>;

export const cycleToWire = writerOf(cycleSchema);

/** Whether a look found all as it should be: nothing failed, and nobody was asked anything. */
export const isPlainCycle = ({ ended, repair, found }: Cycle): boolean =>
  ended === "healthy" && repair === null && (found === null || found.inBatches + found.inQuestions === 0);

/** What batches of a goal are asked about under: its own id as far as that is short enough. */
export const itemsOfGoal = (goalId: string): string => `${goalId.slice(0, 110).replace(/[-_.]+$/, "")}.files`;

/** A goal that is looked after: the approval it stands on, and when it is looked at next. */
export type KeptGoal = {
  readonly goalId: string;
  readonly requestId: string;
  readonly tokenId: string;
  /** The attempt that its approval let begin: every look is part of it. */
  readonly runId: string;
  readonly planHash: Sha256Hex;
  /** The zone its schedule was approved in; null without a schedule, and for what was approved before zones were kept. */
  readonly timeZone: string | null;
  readonly isPaused: boolean;
  readonly nextDue: Instant | null;
  /** Times that passed while nobody could look, and about which the owner is asked. */
  readonly missedCount: number;
};
/** A goal as its newest approval names it. */
export type ApprovedGoal = Pick<KeptGoal, "goalId" | "requestId" | "tokenId" | "runId" | "planHash">;
