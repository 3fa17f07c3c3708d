import { describe, expect, test } from "vitest";
import { workWords } from "./work-words.ts";

const { now, outcome } = workWords.work;
const passed = { name: "a", passed: true, reason: "Passed", output: "", exit_code: 0 };
const ended = { is_verified: false, results: [], last_error: null };
const at = { attempt: 1, steps: 3, last_line: "", since: "2026-11-16T08:00:00.000Z" };

describe("how a run ended", () => {
  test.each([
    [{ status: "done", is_verified: true, results: [passed, passed, passed] }, "Done, checked 3 of 3"],
    [{ status: "done" }, "Done, not checked"],
    [{ status: "cancelled", last_error: "cancelled" }, "Stopped by you"],
    [
      { status: "stuck", last_error: "Check a failed: There is no output" },
      "Not done. Check a failed: There is no output",
    ],
    [{ status: "blocked", last_error: "The plan has no steps to run" }, "Blocked: The plan has no steps to run"],
    [{ status: "in_doubt" }, "In doubt: No reason was kept"],
  ] as const)("%j reads %j", (run, said) => {
    expect(outcome({ ...ended, ...run, results: [...("results" in run ? run.results : [])] })).toBe(said);
  });

  test("[INV-03] results that passed do not make a run checked that nobody called verified", () => {
    expect(outcome({ ...ended, status: "done", results: [passed] })).toBe("Done, not checked");
  });
});

describe("where a run is", () => {
  test.each([
    ["pending", null, "Waits for its turn"],
    ["running", null, "Preparing its workspace"],
    ["running", { ...at, step: 2, name: "look at it" }, "Step 2 of 3: look at it"],
    ["verifying", { ...at, step: 3, name: "look at it" }, "Checking it"],
    ["verifying", { ...at, step: null, name: "the table is there" }, "Checking: the table is there"],
  ] as const)("%s with %j reads %j", (status, progress, said) => {
    expect(now({ run: { status }, progress })).toBe(said);
  });
});
