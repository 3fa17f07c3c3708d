import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { rowOf, runSteps, sumOf, totalsOfReport, type Step } from "./steps.ts";

const directory = mkdtempSync(join(tmpdir(), "silas-steps-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const report = (...files: readonly (readonly [string, ...string[]])[]): string =>
  JSON.stringify({
    testResults: files.map(([status, ...tests]) => ({
      status,
      assertionResults: tests.map((one) => ({ status: one })),
    })),
  });

const run = async (step: Omit<Step, "name">) => {
  const [result] = await runSteps([{ name: "step", ...step }], { atOnce: 2, onDone: () => {} });
  return result;
};

describe("counting", () => {
  test("counts each test, and treats anything but a pass as a failure", () => {
    expect(totalsOfReport(report(["passed", "passed", "passed"], ["failed", "passed", "failed"]))).toEqual({
      passed: 3,
      failed: 1,
    });
    expect(totalsOfReport(report(["passed", "pending"]))).toEqual({ passed: 0, failed: 1 });
  });

  test("a file that could not be loaded is one failure", () => {
    expect(totalsOfReport(report(["failed"]))).toEqual({ passed: 0, failed: 1 });
  });

  test("adds up", () => {
    expect(
      sumOf([
        { passed: 2, failed: 1 },
        { passed: 3, failed: 0 },
      ]),
    ).toEqual({ passed: 5, failed: 1 });
  });
});

describe("running", () => {
  test("a step without tests counts as one, by its exit code", async () => {
    expect(await run({ command: ["--eval", ""] })).toMatchObject({ passed: 1, failed: 0 });
    expect(await run({ command: ["--eval", "process.exit(3)"] })).toMatchObject({ passed: 0, failed: 1 });
  });

  test("keeps what a step printed on both streams", async () => {
    const result = await run({ command: ["--eval", "console.log('out'); console.error('err')"] });
    expect(result?.output.split("\n").toSorted()).toEqual(["", "err", "out"]);
  });

  test("a step of low priority takes only what the others leave", async () => {
    // It may be asked before it was lowered, so it looks until it was.
    const script =
      "const look = () => require('node:os').getPriority() === 19 ? process.exit(0) : setTimeout(look, 5); look()";
    expect(await run({ command: ["--eval", script], priority: "low" })).toMatchObject({ failed: 0 });
  });

  test("a test run that leaves no report, finds no tests or dies after passing is a failure", async () => {
    const reportPath = join(directory, "report.json");
    const ok = { command: ["--eval", ""], reportPath };
    expect(await run(ok)).toMatchObject({ failed: 1 });
    writeFileSync(reportPath, report());
    expect(await run(ok)).toMatchObject({ failed: 1 });
    writeFileSync(reportPath, report(["passed", "passed"]));
    expect(await run(ok)).toMatchObject({ passed: 1, failed: 0 });
    expect(await run({ command: ["--eval", "process.exit(1)"], reportPath })).toMatchObject({ passed: 1, failed: 1 });
  });

  test("every step is run and reported once", async () => {
    const steps = ["a", "b", "c", "d", "e"].map((name) => ({ name, command: ["--eval", ""] }));
    const rows: string[] = [];
    await runSteps(steps, { atOnce: 2, onDone: (result) => rows.push(rowOf(result)) });
    expect(rows.map((row) => row.slice(0, 7)).toSorted()).toEqual([
      "ok    a",
      "ok    b",
      "ok    c",
      "ok    d",
      "ok    e",
    ]);
  });
});
