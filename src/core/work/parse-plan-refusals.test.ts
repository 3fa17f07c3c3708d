import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { accepted, planFile, problems, refused, taskFile } from "../../../test/plan-texts.ts";

describe("refusals", () => {
  test.each<[string, string, readonly string[]]>([
    ["no front matter", "# Hello\n", ["front_matter_missing 1:1 -"]],
    ["an empty file", "", ["front_matter_missing 1:1 -"]],
    ["text before it", `\n${taskFile()}`, ["front_matter_missing 1:1 -"]],
    ["no end", "---\nid: a\n", ["front_matter_unterminated 1:1 -"]],
    ["an end with more behind it", "---\nid: a\n--- \nbody", ["front_matter_unterminated 1:1 -"]],
    ["a line separator before the end", "---\nid: a\u2028---\nbody", ["front_matter_unterminated 1:1 -"]],
    ["a list", planFile("- a"), ["front_matter_not_map 2:1 -"]],
    ["a text", planFile("hello"), ["front_matter_not_map 2:1 -"]],
    ["nothing in it", "---\n---\nbody", ["front_matter_not_map 2:1 -"]],
    ["a byte order mark", `\uFEFF${taskFile()}`, ["byte_order_mark 1:1 -"]],
    ["NUL in the body", taskFile("", "a\nb\0"), ["nul_character 7:2 -"]],
    ["half a surrogate pair", taskFile("", "a\ud800"), ["lone_surrogate 6:2 -"]],
    ["an escape sequence in the body", taskFile("", "a\n\u001b[31m"), ["unsafe_text 7:1 body"]],
    ["an empty body", taskFile("", " \n\n"), ["body_empty 6:1 body"]],
    ["a body that is too long", taskFile("", "x".repeat(LIMITS.planBodyChars + 1)), ["body_too_large 6:1 body"]],
    ["a repeated key", taskFile("title: b"), ["duplicate_key 5:1 -"]],
    ["an anchor", taskFile("domain: &a personal"), ["anchor_refused 5:12 -"]],
    ["a merge", taskFile("<<: { domain: personal }"), ["merge_key_refused 5:1 -"]],
    ["a tag", taskFile("domain: !!str personal"), ["tag_refused 5:15 -"]],
    ["YAML 1.1 words", taskFile("needs_approval: no"), ["ambiguous_scalar 5:17 -"]],
    ["broken YAML", taskFile("tasks: [a"), ["yaml_syntax 6:1 -"]],
    [
      "missing keys",
      planFile("domain: personal"),
      ["missing_key 2:1 id", "missing_key 2:1 type", "missing_key 2:1 title"],
    ],
    ["an unknown mode", taskFile("interaction_mode: yolo"), ["wrong_value 5:1 interaction_mode"]],
    ["an unknown agent", taskFile("agent: proxy"), ["wrong_value 5:1 agent"]],
    ["the body as a key", taskFile("body: x"), ["unknown_key 5:1 body"]],
    ["an inherited name", taskFile("constructor: x"), ["unknown_key 5:1 constructor"]],
    ["a prototype", taskFile("__proto__: { agent: stream }"), ["unknown_key 5:1 __proto__"]],
    ["null for a list", taskFile("verify:"), ["wrong_value 5:1 verify"]],
    ["null for a map", taskFile("budget:"), ["wrong_value 5:1 budget"]],
    ["a list for a map", taskFile("escalation: []"), ["wrong_value 5:1 escalation"]],
    ["a check that is a text", taskFile("verify: [npm test]"), ["wrong_value 5:10 verify.0"]],
    ["a skill as a path", taskFile("skills: [ok, ../x]"), ["wrong_value 5:14 skills.1"]],
    ["a repeated skill", taskFile("skills: [a, a]"), ["name_repeated 5:13 skills.1"]],
    ["children of a task", taskFile("tasks: [b]"), ["not_for_type 5:1 tasks"]],
    ["waiting for itself", taskFile("depends_on: [task-1]"), ["dependency_cycle 5:14 depends_on.0"]],
    ["being its own parent", taskFile("parent: task-1"), ["dependency_cycle 5:1 parent"]],
    ["waiting for its parent", taskFile("parent: p\ndepends_on: [p]"), ["dependency_cycle 6:14 depends_on.0"]],
    ["an unknown escalation", taskFile("on_failure: reprot"), ["unknown_escalation 5:1 on_failure"]],
    ["all artifacts and some", taskFile('input_artifacts_from: ["*", a]'), ["wrong_value 5:1 input_artifacts_from"]],
  ])("[PLAN-03] %s", (_name, markdown, expected) => expect(problems(markdown)).toEqual(expected));

  test("a project that waits for its child, and escalations in a circle", () => {
    const project = planFile("id: p\ntype: project\ntitle: t\ntasks: [a, p]\ndepends_on: [a]");
    expect(problems(project)).toEqual(["dependency_cycle 5:12 tasks.1", "dependency_cycle 6:14 depends_on.0"]);
    const circle = taskFile(
      "escalation:\n  a: { action: retry, fallback: b }\n  b: { action: retry, fallback: a }\n  c: { action: retry, fallback: b }",
    );
    expect(problems(circle)).toEqual([
      "escalation_cycle 6:23 escalation.a.fallback",
      "escalation_cycle 7:23 escalation.b.fallback",
    ]);
  });

  test.each(["../x", "a/b", "/a", "..", "a\\b", "A", "a b", "a..b", "-a", "con:1", "é", "x".repeat(129), "a|b"])(
    "the id %j is refused",
    (id) =>
      expect(problems(planFile(`id: ${JSON.stringify(id)}\ntype: task\ntitle: b`))).toEqual(["wrong_value 2:1 id"]),
  );

  test.each(["a\\u202eb", "a\\u200bb", "a\\eb", "a\\nb", "a\\u009bb", "a\\U000E0041b", "a\\tb"])(
    "the title %j does not show what it holds",
    (title) => expect(problems(planFile(`id: a\ntype: task\ntitle: "${title}"`))).toEqual(["unsafe_text 4:1 title"]),
  );

  test.each(["", " ", "\\u200d", "\\u00a0\\u200c "])("the title %j shows nothing", (title) =>
    expect(problems(planFile(`id: a\ntype: task\ntitle: "${title}"`))).toEqual(["wrong_value 4:1 title"]),
  );

  test.each(["-1", "0", "1000000001", "1.5", '"5"', "true", "[1]", "null"])("max_tokens: %s is refused", (value) =>
    expect(problems(taskFile(`budget: { max_tokens: ${value} }`))).toEqual(["wrong_value 5:11 budget.max_tokens"]),
  );

  test.each(["1e999", ".inf", "-.inf", ".nan", "9007199254740993"])("the number %s is refused", (value) =>
    expect(problems(taskFile(`budget: { max_tokens: ${value} }`))).toEqual(["number_refused 5:23 -"]),
  );

  test("a mistyped key is answered with the one that was meant", () => {
    expect(refused(taskFile("skils: []"))[0]).toMatchObject({ code: "unknown_key", nearest: "skills" });
    expect(refused(taskFile("budget: { max_token: 5 }"))[0]).toMatchObject({ nearest: "max_tokens" });
    expect(refused(taskFile("on_failure: reprot"))[0]).toMatchObject({ nearest: "report" });
  });

  test("all problems come together, in the order of the file", () => {
    const text = planFile("id: /\ntype: tusk\ntitle: a\nbudget: { max_attempts: 0 }\nstatus: done\nskills: [a, a]", "");
    expect(problems(text)).toEqual([
      "wrong_value 2:1 id",
      "wrong_value 3:1 type",
      "wrong_value 5:11 budget.max_attempts",
      "runtime_field 6:1 status",
      "name_repeated 7:13 skills.1",
      "body_empty 9:1 body",
    ]);
  });

  test("a flood of problems ends", () => {
    const found = refused(taskFile(Array.from({ length: 4000 }, (_, index) => `key${index}: 1`).join("\n")));
    expect(found).toHaveLength(LIMITS.planProblems + 1);
    expect(found.at(-1)?.code).toBe("too_many_problems");
  });
});

describe("gates of a plan", () => {
  const gate = (lines: string) => taskFile(`gates:\n  - { name: g, ${lines} }`);

  test.each([
    ["on: after_step", "gate_step_missing"],
    ["on: on_tool_call, after_step: 1", "gate_step_missing"],
    ["on: on_tool_call, type: regex", "gate_pattern_missing"],
    ['on: on_tool_call, type: regex, config: { pattern: "" }', "gate_pattern_missing"],
    ["on: on_tool_call, type: regex, config: { pattern: '(?=a)' }", "pattern_refused"],
    ["on: on_tool_call, check_expect: { exit_code: 0 }", "gate_expectation_alone"],
    ["on: on_tool_call, check_command: a, check_expect: {}", "predicate_missing"],
    ["on: on_tool_call, check_command: a | b", "command_operator"],
    ["on: on_tool_call, auto_approve: { min: 2, max: 1 }", "wrong_value"],
    ["on: on_tool_call, auto_approve: { min: 2 }", "wrong_value"],
    ["on: on_tool_call, block: { outside: [2, 1] }", "wrong_value"],
    ["on: on_tool_call, block: { outside: [1, 2, 3] }", "wrong_value"],
    ["on: on_tool_call, on_block: nobody", "unknown_escalation"],
    ["on: on_tool_call, lane: quality", "unknown_key"],
    ['on: on_tool_call, config: { a: "\\u202e" }', "unsafe_text"],
    ['on: on_tool_call, config: { a: "\\ud800" }', "wrong_value"],
    ["on: sometimes", "wrong_value"],
    ["on: on_tool_call, provider: nobody", "wrong_value"],
    ["on: on_tool_call, type: magic", "wrong_value"],
  ])("{ %s } is refused with %s", (lines, code) =>
    expect(refused(gate(lines)).map((found) => found.code)).toEqual([code]),
  );

  test("parameters of a gate are kept as written, and names in them are not renamed", () => {
    const { gates } = accepted(gate("on: on_tool_call, config: { max_size: 1, __proto__: { x: 1 } }")).item;
    expect(JSON.stringify(gates[0]?.config)).toBe('{"__proto__":{"x":1},"max_size":1}');
    expect(gates[0]).toMatchObject({
      provider: "predicate",
      type: "string_match",
      onBlock: "report",
      checkExpect: null,
    });
  });
});
