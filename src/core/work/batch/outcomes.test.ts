import { expect, test } from "vitest";
import type { LedgerEntry } from "#model";
import { movedOf, outcomesOf } from "./outcomes.ts";

type Said = readonly [item: number, said: string | null];

/** The ledger of a batch: what the step of each item said, null for one that did not end. */
const ledgerOf = (said: readonly Said[]): readonly LedgerEntry[] =>
  said.map(([item, returnValue]) => ({
    executionId: "run-1.1",
    runId: "run-1",
    attempt: 1,
    stepIndex: item + 1,
    stepName: `move ${item}`,
    tool: "file_move",
    state: returnValue === null ? "started" : "ended",
    success: returnValue === null ? null : true,
    returnValue: `${returnValue ?? ""}\n`,
    artifacts: {},
    error: "",
    taint: "external",
    startedAt: "2026-11-16T08:00:00.000Z" as LedgerEntry["startedAt"],
    endedAt: null,
    durationMs: 0,
    exit: null,
    tokensUsed: 0,
    costUsd: 0,
  }));

test("[UNDO-01] what was moved, or may have been, is there to take back, and nothing else", () => {
  const itemIds = ["a", "b", "c", "d", "e", "f", "g"];
  const ledger = ledgerOf([
    [1, "done"],
    [2, "changed"],
    // Interrupted and found done by the next time.
    [3, null],
    [3, "there_already"],
    // There before anybody asked.
    [4, "there_already"],
    [5, "failed"],
    // Ended by somebody in the middle of it.
    [6, null],
  ]);
  expect(outcomesOf({ itemIds, ledger })).toEqual([
    "done",
    "changed",
    "there_already",
    "there_already",
    "failed",
    "failed",
    "not_reached",
  ]);
  expect(movedOf({ itemIds, ledger })).toEqual(["a", "c", "f"]);
});
