import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import { CYCLE_ENDS, type Cycle } from "../goal/goal-records.ts";
import { goalDetailFromWire, goalDetailToWire, type GoalDetail } from "../goal/goal-wire.ts";
import { RUN_STATUSES, type RunRecord } from "./run-records.ts";
import { AT, CHECK, RUN } from "./run.fixture.ts";
import { workDetailFromWire, workDetailToWire, type WorkDetail } from "./run-wire.ts";
import { RESULT_STATUSES, workItemResultSchema } from "./work-result.ts";

const detailOf = (over: Partial<RunRecord>): WorkDetail => ({
  run: { ...RUN, ...over },
  requestId: "request-1",
  title: "Make it",
  progress: null,
  settlement: null,
  projectRunId: null,
  project: null,
  ledger: [],
  network: [],
  undo: null,
});
const CYCLE: Cycle = {
  goalId: "goal-1",
  number: 1,
  requestId: "request-1",
  trigger: "schedule",
  due: AT,
  skipped: 0,
  state: "ended",
  ended: "healthy",
  isVerified: true,
  reason: null,
  results: [CHECK],
  found: null,
  repair: null,
  recheck: null,
  startedAt: AT,
  endedAt: RUN.endedAt,
};
const goalOf = (cycles: readonly Cycle[]): GoalDetail => ({
  goalId: "goal-1",
  requestId: "request-1",
  title: "Keep it",
  status: "healthy",
  statusWords: null,
  scheduleWords: "every minute",
  timeZone: "UTC",
  nextDue: null,
  missedChecks: 0,
  lastCycle: null,
  repairsUsed: 0,
  repairsMax: 0,
  standingUntil: null,
  stream: null,
  cycles,
});
const FIELDS = [
  "artifacts",
  "budget_used",
  "is_verified",
  "last_error",
  "next_steps",
  "status",
  "summary",
  "verification_results",
  "work_item_id",
];

describe("what came of work", () => {
  test("[WORK-09] is one record for a run and for a look at a goal, and says whether it was verified", () => {
    const { result: ofRun } = workDetailToWire(detailOf({}));
    expect(ofRun).toEqual({
      work_item_id: "task-1",
      status: "done",
      is_verified: true,
      summary: "Done, checked 1 of 1",
      last_error: null,
      verification_results: [{ name: "right", passed: true, reason: "Passed", output: "1\n", exit_code: 0 }],
      budget_used: {
        tokens: 0,
        cost_usd: 0,
        wall_time_seconds: 1.5,
        attempts: 2,
        planner_calls: 0,
        executor_runs: 4,
      },
      artifacts: { some_name: sha256Hex("x") },
      next_steps: [],
    });
    const { result: ofGoal } = goalDetailToWire(goalOf([{ ...CYCLE, ended: null, endedAt: null }, CYCLE]));
    expect(ofGoal).toMatchObject({
      work_item_id: "goal-1",
      status: "healthy",
      is_verified: true,
      budget_used: { wall_time_seconds: 2.5 },
    });
    for (const result of [ofRun, ofGoal]) expect(Object.keys(result ?? {}).toSorted()).toEqual(FIELDS);
    expect(workDetailToWire(detailOf({ isVerified: false, results: [] })).result).toMatchObject({
      status: "done",
      is_verified: false,
      summary: "Done, not checked",
    });
  });

  test("[WORK-09] has one of five ends, and is not there before the end", () => {
    const ends = RUN_STATUSES.map((status) => [
      status,
      workDetailToWire(detailOf({ status, lastError: "It broke" })).result?.status ?? null,
    ]);
    const unended = new Set<string | null>(["pending", "running", "verifying", "paused", "waiting"]);
    expect(ends.filter(([, end]) => end === null).every(([status]) => unended.has(status ?? null))).toBe(true);
    expect(ends.filter(([, end]) => end !== null)).toEqual([
      ["done", "done"],
      ["failed", "failed"],
      ["stuck", "stuck"],
      ["blocked", "blocked"],
      ["cancelled", "blocked"],
      ["in_doubt", "blocked"],
    ]);
    for (const ended of CYCLE_ENDS) {
      const cycle: Cycle = { ...CYCLE, ended, isVerified: false, results: [{ ...CHECK, passed: false }] };
      const { result } = goalDetailToWire(goalOf([cycle]));
      expect(RESULT_STATUSES).toContain(result?.status);
      expect(result?.is_verified).toBe(false);
    }
    expect(goalDetailToWire(goalOf([])).result).toBeNull();
  });

  test("[INV-03] of a goal whose checks cannot fail is not called verified, and says so", () => {
    for (const [isVerified, summary] of [
      [true, "Well, 1 of 1 passed"],
      [false, "Well, 1 of 1 passed, none of which can fail"],
      // Kept before it was noted: nothing is claimed for it, and nothing against it.
      [null, "Well, 1 of 1 passed"],
    ] as const) {
      const { result } = goalDetailToWire(goalOf([{ ...CYCLE, isVerified }]));
      expect(result).toMatchObject({ is_verified: isVerified === true, summary });
    }
  });

  test("[WORK-09] is read strictly, and what carries it comes back as it was", () => {
    const detail = detailOf({ status: "stuck", isVerified: false, lastError: "It broke" });
    const body = workDetailToWire(detail);
    expect(workDetailFromWire(body)).toEqual(detail);
    expect(goalDetailFromWire(goalDetailToWire(goalOf([CYCLE])))).toEqual(goalOf([CYCLE]));
    expect(workItemResultSchema.safeParse(body.result).success).toBe(true);
    for (const wrong of [{ status: "cancelled" }, { approval_token: "x" }, { next_steps: [1] }, { artifacts: [] }]) {
      expect(workItemResultSchema.safeParse({ ...body.result, ...wrong }).success).toBe(false);
      expect(workDetailFromWire({ ...body, result: { ...body.result, ...wrong } })).toBeNull();
    }
  });
});
