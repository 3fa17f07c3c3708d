import { sha256Hex, type Instant } from "#base";
import type { CheckResult, RunRecord } from "./run-records.ts";

export const AT = "2026-11-15T21:00:00.000Z" as Instant;
export const FILE = { sha256: sha256Hex("x"), size: 1 };
export const CHECK: CheckResult = { name: "right", passed: true, reason: "Passed", output: "1\n", exitCode: 0 };
export const RUN: RunRecord = {
  runId: "run-1",
  workItemId: "task-1",
  tokenId: "token-1",
  planHash: sha256Hex("plan"),
  status: "done",
  isVerified: true,
  isPausing: false,
  attempts: 2,
  budgetUsed: { tokens: 0, costUsd: 0, wallTimeSeconds: 1.5, attempts: 2, plannerCalls: 0, executorRuns: 4 },
  lastError: null,
  results: [CHECK],
  artifacts: { some_name: FILE },
  startedAt: AT,
  endedAt: "2026-11-15T21:00:02.500Z" as Instant,
};
