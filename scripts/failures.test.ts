import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { longFailures, shortFailures } from "./failures.ts";
import { runSteps } from "./steps.ts";
import { ROOT, toolCommand } from "./tools.ts";

const directory = mkdtempSync(join(tmpdir(), "silas-failures-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const write = (name: string, lines: readonly string[]): void => {
  const vitest = pathToFileURL(join(ROOT, "node_modules/vitest/dist/index.js")).href;
  const imports = `import { beforeAll, describe, expect, test } from ${JSON.stringify(vitest)};`;
  writeFileSync(join(directory, name), [imports, ...lines].join("\n"));
};

test("says first and short who failed, where, and what was expected, of all ways in which a test run fails", async () => {
  write("loud.test.ts", [
    `test("fine", () => { console.log("noise ".repeat(5_000)); });`,
    `test("wrong", () => { expect({ a: 1, b: "x" }).toEqual({ a: 2, b: "x" }); });`,
    `test("never", async () => { await expect.poll(() => "page", { timeout: 60 }).toBe("title"); });`,
    `describe("hooked", () => { beforeAll(() => { throw new Error("hook broke"); }); test("in it", () => {}); });`,
  ]);
  write("absent.test.ts", [`import "./nowhere.ts";`]);
  write("late.test.ts", [
    `test("over", async () => { setTimeout(() => { throw new Error("nobody caught"); }, 1);`,
    `await new Promise((resolve) => setTimeout(resolve, 30)); });`,
  ]);
  const command = [toolCommand("vitest"), "run", `--root=${directory}`, "--no-color", "--reporter=default"];
  const [result] = await runSteps([{ name: "tests", command }], { atOnce: 1, onDone: () => {} });
  const short = shortFailures(result?.output ?? "");
  expect(short).toContain("FAIL  loud.test.ts > wrong\n ❯ loud.test.ts:3:");
  expect(short).toMatch(/toEqual|deeply equal/u);
  expect(short).toMatch(/- {3}"a": 2,\n\+ {3}"a": 1,/u);
  expect(short).toContain("FAIL  loud.test.ts > never\n ❯ loud.test.ts:4:");
  expect(short).toContain('Expected: "title"\nReceived: "page"');
  expect(short).toContain("FAIL  loud.test.ts > hooked\n ❯ loud.test.ts:5:");
  expect(short).toContain("FAIL  absent.test.ts");
  expect(short).toContain("nowhere.ts");
  expect(short).toContain("Uncaught Exception\n ❯ Timeout._onTimeout late.test.ts:2:");
  expect(short).toContain("Error: nobody caught");
  expect(short).not.toContain("noise");
  expect(short.length).toBeLessThan(2_000);
});

test("many failures and long ones leave room for each other", () => {
  const failure = (title: string): string => ` FAIL  file.test.ts > ${title}\n${"Error: long\n".repeat(500)}`;
  const line = "⎯".repeat(20);
  const printed = ["one", "two", ...Array.from({ length: 40 }, () => "more")].map(failure).join(`\n${line}[1/42]⎯\n`);
  const short = shortFailures(`${"head\n".repeat(2_000)}${line} Failed Tests 42 ${line}\n${printed}`);
  expect(short).toMatch(/^FAIL {2}file.test.ts > one\n/u);
  expect(short).toContain("FAIL  file.test.ts > two\n");
  expect(short).toMatch(/\nand 34 more$/u);
  expect(short.length).toBeLessThan(2_000);
});

test("of a step that is no test run says how its words begin and end", () => {
  expect(shortFailures("\u001B[31merror\u001B[39m TS1\n")).toBe("error TS1");
  const short = shortFailures(`first ${"middle ".repeat(5_000)}last`);
  expect(short).toMatch(/^first middle [^]*characters left out[^]* last$/u);
  expect(short.length).toBeLessThan(2_000);
});

test("at length it says all but what passed, up to a limit", () => {
  expect(longFailures("  ✓ one\n  × two\n")).toBe("× two");
  expect(longFailures(`begin ${"x".repeat(100_000)} end`).length).toBeLessThan(21_000);
});
