import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FRONT_MATTER, RUNTIME_STATE, type ConfigNode } from "#model";
import { problems, refused, taskFile } from "../../../test/plan-texts.ts";
import { describePlanProblem, describePlanProblems } from "./words.ts";

const DOCUMENT = readFileSync(new URL("../../../docs/plans.md", import.meta.url), "utf8");

test("the page about plans names every key a plan may have, and every one it may not", () => {
  const names = [...namesIn(FRONT_MATTER), ...Object.keys(RUNTIME_STATE.children)];
  expect(names.length).toBeGreaterThan(70);
  for (const name of names) expect(DOCUMENT, name).toMatch(new RegExp(`\\b${name}\\b`));
});

function namesIn(node: ConfigNode): readonly string[] {
  if (node.node === "key") return [];
  if (node.node === "list") return namesIn(node.item);
  if (node.node === "map") return namesIn(node.entry);
  return Object.entries(node.children).flatMap(([name, child]) => [name, ...namesIn(child)]);
}

test("a sentence says what to write instead", () => {
  const [problem] = refused(taskFile('verify: [{ name: a, run: "ls *.md", expect: { exit_code: 0 } }]'));
  expect(problem && describePlanProblem(problem, "plan.md")).toBe(
    "plan.md:5:21 verify.0.run: no shell reads this, so * would not be expanded; put it in single quotes to mean the " +
      "character, or put the command into a script file and run that, e.g. `sh check.sh`",
  );
  const [assignment] = refused(taskFile('verify: [{ name: a, run: "A=1 b", expect: { exit_code: 0 } }]'));
  expect(assignment && describePlanProblem(assignment, "plan.md")).toContain("write env A=1");
});

test("a long list is cut and counted, and a key or file name acts on nothing", () => {
  const many = taskFile(Array.from({ length: 90 }, (_, index) => `key${index}: 1`).join("\n"));
  expect(problems(many)).toHaveLength(90);
  expect(describePlanProblems(refused(many), "plan.md").at(-1)).toBe("and 40 more");
  const [hostile] = refused(taskFile(`"\\e[31m${"x".repeat(500)}": 1`));
  const line = hostile === undefined ? "" : describePlanProblem(hostile, "a\u001b\n.md");
  expect(line).not.toMatch(/[\u001b\n]/);
  expect(line.length).toBeLessThan(300);
});
