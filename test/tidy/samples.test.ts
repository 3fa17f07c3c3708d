import { describe, expect, test } from "vitest";
import { CHECKS } from "./checks.ts";
import { judgeExceptions } from "./documents.ts";
import { projectOf } from "./project.ts";
import { SAMPLES } from "./samples.ts";

describe.each(Object.entries(CHECKS))("%s", (name, check) => {
  const sample = SAMPLES[name];

  test("finds what is wrong", () => {
    expect(sample).toBeDefined();
    for (const bad of sample?.bad ?? []) expect([bad, check(projectOf(bad)).length]).not.toEqual([bad, 0]);
  });

  test("leaves good work alone", () => {
    expect(check(projectOf(sample?.good ?? {}))).toEqual([]);
  });
});

describe("exceptions", () => {
  const exception = {
    check: "files are short",
    path: "a.ts",
    reason: "It is one table that nobody edits.",
    decision: "0001",
  };
  const project = projectOf({ "docs/decisions/0001-a.md": "# 0001 A" });

  test("need a decision record", () => {
    expect(judgeExceptions(project, [{ ...exception, decision: "0009" }])).toHaveLength(1);
    expect(judgeExceptions(project, [exception])).toEqual([]);
  });

  test("need a reason", () => {
    expect(judgeExceptions(project, [{ ...exception, reason: "because" }])).toHaveLength(1);
  });
});
