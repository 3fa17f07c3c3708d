import { expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import {
  ledgerEntrySchema,
  ledgerEntryToWire,
  RETURN_CHARS,
  runRecordSchema,
  runRecordToWire,
  type LedgerEntry,
  type RunRecord,
} from "./run-records.ts";

const AT = "2026-11-15T21:00:00.000Z" as Instant;
const FILE = { sha256: sha256Hex("x"), size: 1 };
const ENTRY: LedgerEntry = {
  executionId: "run-1.1",
  runId: "run-1",
  attempt: 1,
  stepIndex: 0,
  stepName: "make it",
  tool: "shell_exec",
  state: "ended",
  success: false,
  returnValue: "said\n",
  artifacts: { someName: FILE },
  error: "Reached the limit of memory",
  taint: "external",
  startedAt: AT,
  endedAt: AT,
  durationMs: 0.5,
  exit: { kind: "limit", which: "memory" },
};
const RUN: RunRecord = {
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
  results: [{ name: "right", passed: true, reason: "Passed", output: "1\n", exitCode: 0 }],
  artifacts: { some_name: FILE },
  startedAt: AT,
  endedAt: null,
};

test("a run and its ledger go over the wire and come back as they were; names of artifacts stay as they are", () => {
  const entry: unknown = JSON.parse(JSON.stringify(ledgerEntryToWire(ENTRY)));
  expect(entry).toMatchObject({ execution_id: "run-1.1", step_index: 0, artifacts: { someName: FILE } });
  expect(ledgerEntrySchema.parse(entry)).toEqual(ENTRY);
  const run: unknown = JSON.parse(JSON.stringify(runRecordToWire(RUN)));
  expect(run).toMatchObject({ is_verified: true, budget_used: { executor_runs: 4 }, results: [{ exit_code: 0 }] });
  expect(runRecordSchema.parse(run)).toEqual(RUN);
});

test("a record that says more, less or something else is none", () => {
  const entry = ledgerEntryToWire(ENTRY);
  for (const wrong of [
    { ...entry, extra: 1 },
    { ...entry, taint: "owner" },
    { ...entry, taint: undefined },
    { ...entry, state: "done" },
    { ...entry, attempt: 0 },
    { ...entry, return_value: "x".repeat(RETURN_CHARS + 1) },
    { ...entry, artifacts: { a: { sha256: "no", size: 1 } } },
    { ...entry, exit: { kind: "exit", code: "0" } },
  ]) {
    expect(ledgerEntrySchema.safeParse(wrong).success).toBe(false);
  }
  const run = runRecordToWire(RUN);
  for (const wrong of [
    { ...run, status: "lost" },
    { ...run, budget_used: {} },
    { ...run, is_verified: "yes" },
  ]) {
    expect(runRecordSchema.safeParse(wrong).success).toBe(false);
  }
});
