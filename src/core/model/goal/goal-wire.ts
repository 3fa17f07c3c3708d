import * as z from "zod/mini";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { instantSchema } from "../values.ts";
import {
  resultOfCycle,
  workItemResultSchema,
  workItemResultToWire,
  type WorkItemResultBody,
} from "../work/work-result.ts";
import { STREAM_STATES } from "./stream-records.ts";
import { CYCLE_ENDS, cycleSchema, cycleToWire, type Cycle, type CycleBody } from "./goal-records.ts";

/** Where a goal stands, for people. */
const GOAL_STATUSES = ["healthy", "failing", "repairing", "waiting_for_you", "paused", "never_checked"] as const;
export type GoalStatus = (typeof GOAL_STATUSES)[number];

const count = z.int().check(z.gte(0));
const lastCycleSchema = z.strictObject({
  at: instantSchema,
  passed: count,
  total: count,
  ended: z.enum(CYCLE_ENDS),
});

/** What a goal is to the conversation. */
const streamSchema = z.strictObject({
  state: z.enum(STREAM_STATES),
  words: z.string(),
  gates: z.array(z.strictObject({ name: z.string(), on: z.enum(["every_user_message", "every_agent_response"]) })),
  levels: z.array(z.string()),
  mode: z.string(),
});
export type GoalStream = z.infer<typeof streamSchema>;

const summaryShape = {
  goal_id: z.string(),
  request_id: z.string(),
  title: z.string(),
  status: z.enum(GOAL_STATUSES),
  /** What is wrong, or what is waited for, as a sentence; null when there is nothing to say. */
  status_words: z.nullable(z.string()),
  schedule_words: z.string(),
  time_zone: z.string(),
  /** Null while it is paused, and for a goal that is only checked when somebody asks. */
  next_due: z.nullable(instantSchema),
  /** Checks that passed while nobody could look, and about which the owner is asked; 0 where nothing is asked. */
  missed_checks: count,
  /** The last cycle that ended. */
  last_cycle: z.nullable(lastCycleSchema),
  /** Uses of the standing approval; `repairs_max` is 0 where there is none. */
  repairs_used: count,
  repairs_max: count,
  standing_until: z.nullable(instantSchema),
  /** Null for a goal that says nothing about messages. */
  stream: z.nullable(streamSchema),
} as const;

/** A goal as a list shows it. */
const summarySchema = recordOf(z.strictObject(summaryShape));
export type GoalSummary = z.infer<typeof summarySchema>;
export type GoalSummaryBody = z.input<typeof summarySchema>;

/** A goal with its newest cycles first: every one in which something failed, and the latest of the others. */
const detailSchema = z.strictObject({
  ...summaryShape,
  cycles: z.array(cycleSchema),
  result: z.nullable(workItemResultSchema),
});
export type GoalDetail = GoalSummary & { readonly cycles: readonly Cycle[] };
export type GoalDetailBody = GoalSummaryBody & {
  readonly cycles: readonly CycleBody[];
  /** What came of the last look that ended, in the shape that all work shares. */
  readonly result: WorkItemResultBody | null;
};

export const goalSummaryToWire = writerOf(summarySchema);
export function goalDetailToWire({ cycles, ...goal }: GoalDetail): GoalDetailBody {
  const last = cycles.find(({ ended }) => ended !== null);
  const result = last === undefined ? null : resultOfCycle(last);
  return {
    ...goalSummaryToWire(goal),
    cycles: cycles.map(cycleToWire),
    result: result === null ? null : workItemResultToWire(result),
  };
}

/** Null when it is no such thing. */
export const goalSummaryFromWire = (body: unknown): GoalSummary | null => summarySchema.safeParse(body).data ?? null;

export function goalDetailFromWire(body: unknown): GoalDetail | null {
  const { data } = detailSchema.safeParse(body);
  if (data === undefined) return null;
  const { cycles, result: _follows, ...rest } = data;
  const goal = summarySchema.safeParse(rest).data;
  return goal === undefined ? null : { ...goal, cycles };
}

/** `POST /api/goals/:id/check`, `/leave`, `/pause` and `/resume` take nothing but their address. */
export const goalActSchema = z.strictObject({});
