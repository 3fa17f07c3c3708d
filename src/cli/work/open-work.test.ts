import { expect, test } from "vitest";
import { ok, type Instant, type Sha256Hex } from "#base";
import type { WorkSummary } from "#model";
import type { WorkDoor } from "#ports";
import { findRun } from "./open-work.ts";

const AT = "2026-11-15T21:00:00.000Z" as Instant;
const summary = (runId: string, requestId: string): WorkSummary => ({
  run: {
    runId,
    workItemId: "task-1",
    tokenId: "token-1",
    planHash: "0".repeat(64) as Sha256Hex,
    status: "done",
    isVerified: false,
    isPausing: false,
    attempts: 1,
    budgetUsed: { tokens: 0, costUsd: 0, wallTimeSeconds: 1, attempts: 1, plannerCalls: 0, executorRuns: 1 },
    lastError: null,
    results: [],
    artifacts: {},
    startedAt: AT,
    endedAt: AT,
  },
  requestId,
  title: "Make it",
  progress: null,
  settlement: null,
  projectRunId: null,
  project: null,
});
const NEWEST = summary("run-newest-0000", "request-newest");
const OLD = summary("run-old-7777", "request-old");

/** Lists the newest alone, as a list with a limit does, and of the others what a part of an id means. */
const work: Pick<WorkDoor, "list"> = {
  list: async ({ idPart } = {}) =>
    ok(
      [NEWEST, OLD].filter(({ run, requestId }) =>
        idPart === undefined ? run === NEWEST.run : `${run.runId} ${requestId}`.includes(idPart),
      ),
    ),
};

test("a run that is not among the newest is found by its id, by a part of it and by its request", async () => {
  for (const typed of ["run-old-7777", "7777", "run-old", "request-old"]) {
    expect((await findRun(work, typed)).run.runId, typed).toBe("run-old-7777");
  }
});

test("what means none or several, or cannot be an id, names no run", async () => {
  for (const typed of ["nobody", "777", "", "%", "run-"]) {
    await expect(findRun(work, typed), typed).rejects.toThrow(/There is no run|fits 2 runs/);
  }
});
