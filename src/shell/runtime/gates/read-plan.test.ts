import { expect, test } from "vitest";
import { parseYaml } from "#config";
import { AT, goalFile, planFile, taskFile } from "../../../../test/plan-texts.ts";
import { readPlan } from "./read-plan.ts";

const read = (lines: string) => readPlan({ markdown: taskFile(lines), readYaml: parseYaml, at: AT });
const problems = (lines: string) => {
  const plan = read(lines);
  return plan.ok ? [] : plan.error.map(({ code, key, line, column }) => `${code} ${key} ${line}:${column}`);
};

test("[GATE-24] a gate that nobody here can check is refused with its place, before anybody is asked to approve it", () => {
  const lines = [
    "gates:",
    "  - { name: a, on: on_tool_call, provider: script }",
    "  - name: b",
    "    on: every_agent_response",
    "    provider: llm",
    "  - name: c",
    "    on: every_user_message",
    "    provider: guardrails_ai",
    "    check: pi",
  ].join("\n");
  expect(problems(lines)).toEqual([
    "gate_check_missing gates.0.check_command 6:5",
    "gate_provider_absent gates.1.provider 9:5",
    "gate_check_unknown gates.2.check 13:5",
  ]);
});

test("a pattern that cannot run in linear time is refused with its place, in gates and in checks", () => {
  expect(problems('gates: [{ name: a, on: on_tool_call, type: regex, config: { pattern: "[^]" } }]')).toEqual([
    "gate_pattern_refused gates.0.config.pattern 5:61",
  ]);
  expect(problems('verify: [{ name: a, run: ls, expect: { regex: "\\\\p{Script=Greek}" } }]')).toEqual([
    "gate_pattern_refused verify.0.expect.regex 5:40",
  ]);
});

test("a plan whose gates can be checked is read as it is", () => {
  const gates = [
    "{ name: a, on: on_tool_call, type: regex, config: { pattern: '[a-z]+' } }",
    "{ name: s, on: on_tool_call, provider: script, check_command: ls }",
    "{ name: b, on: every_agent_response, provider: guardrails_ai, check: secrets, config: { on_fail: exception } }",
  ];
  expect(read(`gates: [${gates.join(", ")}]`).ok).toBe(true);
});

test("[EXEC-08] a tool that is not set up here does not exist for whoever proposes, at its place; what was approved is still read", () => {
  const markdown = taskFile("steps:\n  - { name: a, run: ls }\n  - { name: b, tool: web_search, args: { query: x } }");
  const source = { markdown, readYaml: parseYaml, at: AT };
  const refused = readPlan({ ...source, absentTools: ["web_search"] });
  expect(refused).toMatchObject({ ok: false, error: [{ code: "unknown_tool", key: "steps.1.tool", line: 7 }] });
  expect(readPlan(source).ok).toBe(true);
});

test("[GATE-02] a gate with the name of one of the configuration is refused at its place; what was approved is still read", () => {
  const markdown = taskFile("gates:\n  - { name: mine, on: on_tool_call }\n  - { name: pii_scrub, on: on_tool_call }");
  const source = { markdown, readYaml: parseYaml, at: AT };
  expect(readPlan({ ...source, systemGates: ["pii_scrub"] })).toMatchObject({
    error: [{ code: "gate_name_taken", key: "gates.1.name", line: 7 }],
  });
  expect(readPlan(source).ok).toBe(true);
});

test("a task that nothing would carry out is refused for whoever proposes it; every other kind of plan is not", () => {
  const propose = (markdown: string) => readPlan({ markdown, readYaml: parseYaml, at: AT, mustAct: true });
  const idle = taskFile("verify: [{ name: a, run: ls, expect: { exit_code: 0 } }]");
  expect(propose(idle)).toMatchObject({ ok: false, error: [{ code: "steps_missing", key: "steps", line: 3 }] });
  for (const markdown of [
    taskFile("steps: [{ name: a, run: ls }]"),
    taskFile("executor: model\ntools: [file_write]"),
    goalFile('schedule: "0 6 * * *"'),
    goalFile("agent: stream"),
    planFile("id: project-1\ntype: project\ntitle: Both\ntasks: [task-a]"),
  ]) {
    expect(propose(markdown).ok, markdown).toBe(true);
  }
  // Plans that were approved before are still read.
  expect(readPlan({ markdown: idle, readYaml: parseYaml, at: AT }).ok).toBe(true);
});
