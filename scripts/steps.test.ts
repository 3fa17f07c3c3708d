import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

  test("a step gets its own environment variables and those of the run", async () => {
    const script = "process.exit(process.env.PATH !== undefined && process.env.SILAS_STEP === 'own' ? 0 : 1)";
    expect(await run({ command: ["--eval", script], env: { SILAS_STEP: "own" } })).toMatchObject({ failed: 0 });
    expect(await run({ command: ["--eval", script] })).toMatchObject({ failed: 1 });
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

describe("scheduling", () => {
  const file = (name: string): string => JSON.stringify(join(directory, name));
  const FS = "const fs = require('node:fs');";
  /** Ends with exit code 0 only when the other file appears: two steps that wait for each other must run side by side. */
  const meeting = (own: string, other: string): readonly string[] => [
    "--eval",
    `${FS} fs.writeFileSync(${file(own)}, ''); const look = () => fs.existsSync(${file(other)}) ? process.exit(0) : setTimeout(look, 5); look()`,
  ];
  const names = async (steps: readonly Step[], atOnce: number): Promise<readonly string[]> =>
    (await runSteps(steps, { atOnce, onDone: () => {} })).map(({ name, failed }) => `${name} ${failed}`);

  test("a step waits for the one it comes after, and those behind it do not wait with it", async () => {
    const steps: readonly Step[] = [
      { name: "build", command: ["--eval", `${FS} fs.writeFileSync(${file("built")}, '')`] },
      {
        name: "page",
        after: "build",
        command: ["--eval", `process.exit(require('node:fs').existsSync(${file("built")}) ? 0 : 1)`],
      },
      { name: "left", command: meeting("left", "right") },
      { name: "right", command: meeting("right", "left") },
    ];
    expect((await names(steps, 2)).toSorted()).toEqual(["build 0", "left 0", "page 0", "right 0"]);
  });

  test("one at a time, steps run in the order of the list", async () => {
    const step = (name: string): Step => ({ name, command: ["--eval", ""] });
    expect(await names([step("a"), step("b"), step("c")], 1)).toEqual(["a 0", "b 0", "c 0"]);
    expect(await names([{ ...step("a"), after: "c" }, step("b"), step("c")], 1)).toEqual(["b 0", "c 0", "a 0"]);
  });

  test("a step whose predecessor failed does not run, says why and counts as failed, and so does what comes after it", async () => {
    const steps: readonly Step[] = [
      { name: "build", command: ["--eval", "process.exit(1)"] },
      { name: "page", after: "build", command: ["--eval", `${FS} fs.writeFileSync(${file("ran")}, '')`] },
      { name: "more", after: "page", command: ["--eval", ""] },
    ];
    const results = await runSteps(steps, { atOnce: 3, onDone: () => {} });
    expect(results.map(({ name, failed }) => `${name} ${failed}`)).toEqual(["build 1", "page 1", "more 1"]);
    expect(results[1]?.output).toBe('Did not run, because "build" failed.');
    expect(existsSync(join(directory, "ran"))).toBe(false);
  });

  test("a step that could never begin is an error, not a hang", async () => {
    const steps = [
      { name: "fine", command: ["--eval", ""] },
      { name: "page", after: "web bild", command: ["--eval", ""] },
    ];
    await expect(names(steps, 2)).rejects.toThrow('"page" after "web bild"');
  });
});
