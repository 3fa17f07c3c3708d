import * as z from "zod/mini";
import { msOfInstant } from "#base";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { cycleLine } from "../goal/goal-lines.ts";
import type { Cycle, CycleEnd } from "../goal/goal-records.ts";
import { budgetUsedSchema, checkResultSchema, type RunStatus } from "./run-records.ts";
import { runLine } from "./run-words.ts";
import type { WorkSummary } from "./run-wire.ts";

/** How work can have ended, whatever kind of work it is. `blocked`: it goes no further without a person. */
export const RESULT_STATUSES = ["done", "healthy", "failed", "stuck", "blocked"] as const;
type ResultStatus = (typeof RESULT_STATUSES)[number];

/** What came of a task, a project, a batch or one look at a goal, in one shape for all of them. [WORK-09] */
export const workItemResultSchema = recordOf(
  z.strictObject({
    work_item_id: z.string(),
    status: z.enum(RESULT_STATUSES),
    /** True only where checks outside of the work were run and every one passed. [INV-03] */
    is_verified: z.boolean(),
    summary: z.string(),
    last_error: z.nullable(z.string()),
    verification_results: z.array(checkResultSchema),
    /** Of one look at a goal: the time it took. Its repair is work of its own. */
    budget_used: budgetUsedSchema,
    /** The SHA-256 of each result, by its name. */
    artifacts: z.record(z.string(), z.string()),
    next_steps: z.array(z.string()),
  }),
);
type WorkItemResult = z.infer<typeof workItemResultSchema>;
export type WorkItemResultBody = z.input<typeof workItemResultSchema>;

export const workItemResultToWire = writerOf(workItemResultSchema);

/** How runs end. What is not here has not ended. */
export const RESULT_OF_RUN: { readonly [S in RunStatus]?: Exclude<ResultStatus, "healthy"> } = {
  done: "done",
  failed: "failed",
  stuck: "stuck",
  blocked: "blocked",
  cancelled: "blocked",
  in_doubt: "blocked",
};

export function resultOfRun(work: Pick<WorkSummary, "run" | "progress" | "settlement">): WorkItemResult | null {
  const { run } = work;
  const status = RESULT_OF_RUN[run.status];
  if (status === undefined) return null;
  return {
    workItemId: run.workItemId,
    status,
    isVerified: run.isVerified,
    summary: runLine(work),
    lastError: run.lastError,
    verificationResults: run.results,
    budgetUsed: run.budgetUsed,
    artifacts: Object.fromEntries(Object.entries(run.artifacts).map(([name, { sha256 }]) => [name, sha256])),
    nextSteps: run.said?.nextSteps ?? [],
  };
}

const RESULT_OF_CYCLE: { readonly [E in CycleEnd]: ResultStatus } = {
  healthy: "healthy",
  failed: "failed",
  blocked: "blocked",
  missed: "blocked",
};

export function resultOfCycle(cycle: Cycle): WorkItemResult | null {
  const { goalId, ended, reason, results, recheck, startedAt, endedAt } = cycle;
  if (ended === null || endedAt === null) return null;
  const checks = recheck ?? results;
  const wallTimeSeconds = Math.max(0, msOfInstant(endedAt) - msOfInstant(startedAt)) / 1000;
  return {
    workItemId: goalId,
    status: RESULT_OF_CYCLE[ended],
    isVerified: cycle.isVerified ?? false,
    summary: cycleLine(cycle),
    lastError: ended === "healthy" ? null : (reason ?? checks.find(({ passed }) => !passed)?.reason ?? null),
    verificationResults: checks,
    budgetUsed: { tokens: 0, costUsd: 0, wallTimeSeconds, attempts: 0, plannerCalls: 0, executorRuns: 0 },
    artifacts: {},
    nextSteps: [],
  };
}
