import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHECK_OUTPUT_CHARS, type Expectation, type VerificationCheck } from "#model";
import { checkNotRun, judgeOutput, type CheckRun, changedBetween, mayDecideCheck } from "./expectation.ts";

const NOTHING: Expectation = {
  exitCode: null,
  equals: null,
  contains: null,
  regex: null,
  outputLt: null,
  outputGt: null,
  fileExists: null,
  notEmpty: null,
};
const checkFor = (expects: Partial<Expectation>): VerificationCheck => ({
  name: "a check",
  run: "ls",
  expect: { ...NOTHING, ...expects },
  timeout: 7,
  network: false,
});
const ended = (rest: Partial<CheckRun> & { readonly code?: number } = {}): CheckRun => ({
  end: { kind: "exit", code: rest.code ?? 0 },
  stdout: "",
  isTruncated: false,
  fileExists: null,
  ...rest,
});
/** Stands for the engine of linear time. */
const findPattern = (pattern: string, text: string): boolean | null =>
  pattern === "refused" ? null : new RegExp(pattern, "u").test(text);
const judge = (expects: Partial<Expectation>, run: Parameters<typeof ended>[0] = {}) =>
  judgeOutput({ check: checkFor(expects), run: ended(run), findPattern });
const passes = (...given: Parameters<typeof judge>): boolean => judge(...given).passed;

describe("whether a check passed", () => {
  test("[VER-09] exit_code compares the code, and nothing else counts", () => {
    expect(passes({ exitCode: 0 })).toBe(true);
    expect(passes({ exitCode: 3 }, { code: 3, stdout: "failed" })).toBe(true);
    expect(judge({ exitCode: 0 }, { code: 1, stdout: "all good" })).toMatchObject({
      passed: false,
      reason: "Ended with code 1, not 0",
      exitCode: 1,
    });
  });

  test("[VER-09] equals takes the whole output, but for one line break at its end", () => {
    for (const [equals, stdout, isEqual] of [
      ["7", "7", true],
      ["7", "7\n", true],
      ["7", "7\r\n", true],
      ["7\n", "7\n", true],
      ["7", "7\n\n", false],
      ["7", " 7", false],
      ["7", "77", false],
      ["", "", true],
      ["", "\n", true],
      ["a\nb", "a\nb\n", true],
    ] as const) {
      expect(passes({ equals }, { stdout }), JSON.stringify([equals, stdout])).toBe(isEqual);
    }
  });

  test("[VER-09] contains finds a text anywhere, regex searches without anchors and by the engine it is given", () => {
    expect(passes({ contains: "b" }, { stdout: "abc" })).toBe(true);
    expect(passes({ contains: "B" }, { stdout: "abc" })).toBe(false);
    expect(passes({ regex: "b+" }, { stdout: "abbc" })).toBe(true);
    expect(passes({ regex: "^b" }, { stdout: "abbc" })).toBe(false);
    expect(judge({ regex: "refused" }, { stdout: "refused" })).toMatchObject({
      passed: false,
      reason: "The pattern could not be run on this output",
    });
  });

  test("[VER-10] numbers compare strictly, and what is no number fails", () => {
    expect(passes({ outputLt: 5 }, { stdout: " 4.9\n" })).toBe(true);
    expect(passes({ outputLt: 5 }, { stdout: "5" })).toBe(false);
    expect(passes({ outputGt: 5 }, { stdout: "5.0" })).toBe(false);
    expect(passes({ outputGt: -1 }, { stdout: "-5e-1" })).toBe(true);
    expect(passes({ outputLt: 0 }, { stdout: "-0" })).toBe(false);
    for (const stdout of [
      "",
      " ",
      "NaN",
      "Infinity",
      "-Infinity",
      "1e999",
      "0x10",
      "1,5",
      "4 5",
      "4 files",
      "١",
      "null",
      "1_000",
    ]) {
      expect(judge({ outputLt: 1e15 }, { stdout }), stdout).toMatchObject({
        passed: false,
        reason: "The output is not a number",
      });
      expect(passes({ outputGt: -1e15 }, { stdout }), stdout).toBe(false);
    }
  });

  test("[VER-10] not_empty fails on no output at all", () => {
    expect(passes({ notEmpty: true }, { stdout: "x" })).toBe(true);
    expect(passes({ notEmpty: true }, { stdout: "" })).toBe(false);
  });

  test("a file that nobody saw inside is not there, and why is not said", () => {
    expect(passes({ fileExists: "a" }, { fileExists: true })).toBe(true);
    for (const fileExists of [false, null]) {
      expect(judge({ fileExists: "a" }, { fileExists })).toMatchObject({
        passed: false,
        reason: "There is no such file",
      });
    }
  });

  test("[VER-12] an expectation that expects nothing never passes, and neither does one that expects two things", () => {
    expect(judge({}, { stdout: "fine" })).toMatchObject({ passed: false, reason: "No expectation" });
    expect(judge({ notEmpty: false }, { stdout: "fine" })).toMatchObject({ passed: false, reason: "No expectation" });
    expect(passes({ exitCode: 0, notEmpty: true }, { stdout: "fine" })).toBe(false);
  });

  test("[VER-08] a check that was ended has failed, whatever it printed", () => {
    for (const [end, reason] of [
      [{ kind: "timeout" }, "Timeout after 7s"],
      [{ kind: "signal", signal: "SIGKILL" }, "Ended by SIGKILL"],
      [{ kind: "limit", which: "memory" }, "Reached the limit of memory"],
    ] as const) {
      for (const expects of [{ notEmpty: true }, { contains: "x" }, { exitCode: 0 }, { fileExists: "a" }]) {
        expect(judge(expects, { end, stdout: "x", fileExists: true })).toMatchObject({
          passed: false,
          reason,
          exitCode: null,
        });
      }
    }
  });

  test("[VER-13] the predicate sees all that was kept, and the result shows the beginning of it", () => {
    const stdout = `${"x".repeat(50_000)}needle`;
    const result = judge({ contains: "needle" }, { stdout });
    expect(result).toMatchObject({ passed: true, output: "x".repeat(CHECK_OUTPUT_CHARS) });
    expect(judge({ notEmpty: true }, { stdout: `${"x".repeat(CHECK_OUTPUT_CHARS - 1)}😀` }).output).toBe(
      "x".repeat(CHECK_OUTPUT_CHARS - 1),
    );
  });

  test("[VER-13] where the output itself was cut, only what the beginning proves passes", () => {
    const cut = { stdout: "7", isTruncated: true };
    expect(passes({ contains: "7" }, cut)).toBe(true);
    expect(passes({ notEmpty: true }, cut)).toBe(true);
    for (const expects of [{ equals: "7" }, { regex: "7$" }, { outputLt: 9 }, { outputGt: 1 }, { contains: "8" }]) {
      expect(judge(expects, cut), JSON.stringify(expects)).toMatchObject({
        passed: false,
        reason: "The output was cut, so that nobody can tell",
      });
    }
  });

  test("a check that could not be run has failed, with the reason", () => {
    expect(checkNotRun(checkFor({ exitCode: 0 }), "No sandbox")).toEqual({
      name: "a check",
      passed: false,
      reason: "No sandbox",
      output: "",
      exitCode: null,
    });
  });
});

test("[VER-10] any finite number is compared as it was printed", () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
      fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
      (output, limit) => {
        const stdout = `${output}\n`;
        expect(passes({ outputLt: limit }, { stdout })).toBe(output < limit);
        expect(passes({ outputGt: limit }, { stdout })).toBe(output > limit);
      },
    ),
    { numRuns: 200 },
  );
});

const check = (run: string): VerificationCheck => ({ run }) as VerificationCheck;

test.each([
  ["test/sum.js", "node --test", true],
  ["src/__tests__/sum.js", "node --test", true],
  ["src/sum.test.ts", "node --test", true],
  ["sum_test.go", "go test", true],
  ["test_sum.py", "python3 -m pytest", true],
  ["package.json", "npm test", true],
  ["vitest.config.ts", "npx vitest", true],
  ["node_modules/left-pad/index.js", "npm test", true],
  ["checks/all.sh", "sh checks/all.sh", true],
  ["checks/all.sh", "./checks/all.sh", true],
  ["checks/all.sh", "sh -e checks/all.sh", true],
  ["src/sum.js", "node --test", false],
  ["table.csv", "grep -c x table.csv", false],
  ["contest.js", "node --test", false],
])("%s may decide what `%s` says: %s", (path, run, isSo) => {
  expect(mayDecideCheck(path, [check(run)])).toBe(isSo);
});

test("what was changed, added or removed is named once, in order, and a long list says how much more there is", () => {
  const before = new Map([
    ["test/a.js", "1"],
    ["test/b.js", "1"],
    ["test/same.js", "1"],
    ["node_modules/x/a.js", "1"],
  ]);
  const after = new Map([
    ["test/a.js", "2"],
    ["test/same.js", "1"],
    ["test/new.js", "1"],
    ["node_modules/x/a.js", "2"],
    ["node_modules/y/a.js", "2"],
  ]);
  expect(changedBetween(before, after)).toEqual(["node_modules", "test/a.js", "test/b.js", "test/new.js"]);
  expect(changedBetween(before, before)).toEqual([]);
  const many = new Map(Array.from({ length: 30 }, (_, index) => [`test/${index}.js`, "1"]));
  expect(changedBetween(new Map(), many)).toHaveLength(21);
  expect(changedBetween(new Map(), many).at(-1)).toBe("10 more");
  const all = new Map([...many].slice(0, 20));
  expect(changedBetween(new Map(), all)).toEqual([...all.keys()].toSorted());
});
