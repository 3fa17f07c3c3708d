import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { BODY, parse, planFile, stepFile, taskFile } from "../../../test/plan-texts.ts";
import { isRevised } from "./consult/replan.ts";
import { splitPlan } from "./plan-form.ts";

const codes = (markdown: string): readonly string[] => {
  const parsed = parse(markdown);
  return parsed.ok ? [] : parsed.error.map(({ code, key }) => `${code} ${key ?? "-"}`);
};
const formOf = (markdown: string): string => {
  const split = splitPlan(markdown);
  return split.ok ? "split" : split.error.code;
};

describe("a plan at the edge of what one may hold", () => {
  test("its body", () => {
    expect(codes(stepFile("", "x".repeat(LIMITS.planBodyChars)))).toEqual([]);
    expect(codes(stepFile("", "x".repeat(LIMITS.planBodyChars + 1)))).toEqual(["body_too_large body"]);
  });

  test("its front matter", () => {
    const form = (chars: number) => formOf(`---\n${"x".repeat(chars - 1)}\n---\n${BODY}`);
    expect(form(LIMITS.planFrontMatterChars)).toBe("split");
    expect(form(LIMITS.planFrontMatterChars + 1)).toBe("front_matter_too_large");
  });

  test("the whole file", () => {
    expect(formOf(taskFile().padEnd(LIMITS.planBytes, "x"))).toBe("split");
    expect(formOf(taskFile().padEnd(LIMITS.planBytes + 1, "x"))).toBe("plan_too_large");
  });

  test("its steps", () => {
    const steps = (count: number) =>
      codes(taskFile(`steps:\n${'  - { name: look, run: "true" }\n'.repeat(count)}`)).filter((one) =>
        /wrong/.test(one),
      );
    expect(steps(LIMITS.planSteps)).toEqual([]);
    expect(steps(LIMITS.planSteps + 1)).toEqual(["wrong_value steps"]);
  });

  test("its named parts, and their names", () => {
    const named = (names: readonly string[]) =>
      codes(stepFile(`escalation:\n${names.map((name) => `  ${name}: { action: retry }\n`).join("")}`));
    const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
    expect(named(many(LIMITS.planParts))).toEqual([]);
    expect(named(many(LIMITS.planParts + 1))).toEqual(["wrong_value escalation"]);
    expect(named(["n".repeat(LIMITS.nameChars)])).toEqual([]);
    const long = "n".repeat(LIMITS.nameChars + 1);
    expect(named([long])).toEqual([`wrong_value escalation.${long}`]);
  });
});

test("other words are another way only where nothing but the words says what to do", () => {
  const itemOf = (markdown: string) => {
    const parsed = parse(markdown);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
    return parsed.value.item;
  };
  const model = (body: string) =>
    itemOf(planFile("id: a\ntype: task\ntitle: A\nexecutor: model\ntools: [file_read]", body));
  expect(isRevised(model("# Do this"), model("# Do that"))).toBe(true);
  expect(isRevised(model("# Do this"), model("# Do this"))).toBe(false);
  expect(isRevised(itemOf(stepFile("", "# Do this")), itemOf(stepFile("", "# Do that")))).toBe(false);
});
