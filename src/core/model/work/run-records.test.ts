import { expect, test } from "vitest";
import {
  ledgerEntrySchema,
  ledgerEntryToWire,
  RETURN_CHARS,
  runRecordSchema,
  runRecordToWire,
  type LedgerEntry,
} from "./run-records.ts";
import { AT, FILE, RUN } from "./run.fixture.ts";

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
  tokensUsed: 0,
  costUsd: 0,
};
test("a run and its ledger go over the wire and come back as they were; names of artifacts stay as they are", () => {
  const entry: unknown = JSON.parse(JSON.stringify(ledgerEntryToWire(ENTRY)));
  expect(entry).toMatchObject({ execution_id: "run-1.1", step_index: 0, artifacts: { someName: FILE } });
  expect(ledgerEntrySchema.parse(entry)).toEqual(ENTRY);
  const run: unknown = JSON.parse(JSON.stringify(runRecordToWire(RUN)));
  expect(run).toMatchObject({ is_verified: true, budget_used: { executor_runs: 4 }, results: [{ exit_code: 0 }] });
  expect(runRecordSchema.parse(run)).toEqual(RUN);
});

test("an entry of before its cost was kept is read, and cost nothing", () => {
  const { tokens_used: _tokens, cost_usd: _cost, ...before } = ledgerEntryToWire(ENTRY);
  expect(ledgerEntrySchema.parse(before)).toEqual(ENTRY);
});

test("a record that says more, less or something else is none", () => {
  const entry = ledgerEntryToWire(ENTRY);
  for (const wrong of [
    { ...entry, extra: 1 },
    { ...entry, taint: "trusted" },
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
