import { describe, expect, test } from "vitest";
import { parseYaml } from "#config";
import type { Instant } from "#base";
import { callOf, sandboxCallOf } from "./tool-call.ts";
import { parsePlan } from "../parse-plan.ts";

const AT = "2026-11-16T08:00:00.000Z" as Instant;
const planWith = (args: string, { tool = "node_exec", skills = "skills: [one]" } = {}) =>
  parsePlan({
    markdown: `---\nid: t\ntype: task\ntitle: T\n${skills}\nsteps:\n  - { name: s, tool: ${tool}, args: ${args} }\n---\n\n# What to do\n\nIt.\n`,
    readYaml: parseYaml,
    at: AT,
  });
const codesOf = (...given: Parameters<typeof planWith>): readonly string[] => {
  const parsed = planWith(...given);
  return parsed.ok ? [] : parsed.error.map(({ code, key }) => `${code} ${key}`);
};

describe("a step that runs a script of a skill", () => {
  test("[EXEC-11] names a skill of the plan and a script inside of it, .mjs for node_exec and .py for python_exec", () => {
    const parsed = planWith("{ skill: one, file: scripts/a.mjs, input: { n: 1 } }");
    expect(parsed.ok).toBe(true);
    if (!parsed.ok) return;
    const [step] = parsed.value.item.steps;
    if (step === undefined) throw new Error("it has a step");
    const call = sandboxCallOf(callOf(step));
    expect(call.argv).toEqual(["/opt/silas/bin/node", "/skills/one/scripts/a.mjs"]);
    const unconnected = { connection: null, permissions: [] };
    expect(call.script).toEqual({ skill: "one", file: "scripts/a.mjs", input: { n: 1 }, ...unconnected });
    expect(codesOf("{ skill: one, file: scripts/in/a.py }", { tool: "python_exec" })).toEqual([]);
  });

  test("[EXEC-11] an unlisted skill, a path out of the skill, an absolute one and a file of another kind are refused, for both", () => {
    const refused = ["skill_script_refused steps.0.args.file"];
    for (const [tool, ending] of [
      ["node_exec", "mjs"],
      ["python_exec", "py"],
    ] as const) {
      for (const file of [`../x.${ending}`, `scripts/../../x.${ending}`, `/scripts/x.${ending}`, `x.${ending}`]) {
        expect(codesOf(`{ skill: one, file: ${file} }`, { tool }), file).toEqual(refused);
      }
      const listed = codesOf(`{ skill: two, file: scripts/x.${ending} }`, { tool });
      expect(listed).toEqual(["skill_not_listed steps.0.args.skill"]);
      expect(codesOf(`{ skill: one, file: scripts/x.sh }`, { tool })).toEqual(refused);
    }
    expect(codesOf("{ skill: one, file: scripts/x.py }")).toEqual(refused);
    expect(codesOf("{ skill: one, file: scripts/x.mjs }", { skills: "skills: []" })).toEqual([
      "skill_not_listed steps.0.args.skill",
    ]);
  });

  test("has either a program of its own or a script of a skill, never both", () => {
    expect(codesOf("{ skill: one, file: scripts/a.mjs, script: 'x' }")).toEqual(["unknown_key steps.0.args.script"]);
    expect(codesOf("{ script: x, file: scripts/a.mjs }")).toEqual(["unknown_key steps.0.args.file"]);
    expect(codesOf("{ skill: one }")).toEqual(["missing_key steps.0.args.file"]);
  });
});
