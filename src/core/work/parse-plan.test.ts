import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { parseYaml } from "#config";
import { FRONT_MATTER, RUNTIME_STATE } from "#model";
import { parsePlan, type ReadYaml } from "./parse-plan.ts";
import {
  accepted,
  AT,
  BODY,
  goalFile,
  parse,
  planFile,
  problems,
  refused,
  taskFile,
  WHOLE_PLAN,
} from "./plan.fixture.ts";
import { withEffectiveSkills } from "./skills.ts";

const check = (expectation: string, rest = ""): string =>
  taskFile(`verify:\n  - name: c\n    run: npm test\n    expect: ${expectation}\n${rest}`);

describe("reading a plan", () => {
  test("[PLAN-01] it is a function of its text: the reader is given the front matter once, and nothing else is asked", () => {
    const asked: string[] = [];
    const readYaml: ReadYaml = (text) => {
      asked.push(text);
      return parseYaml(text);
    };
    const source = Object.freeze({ markdown: WHOLE_PLAN, readYaml, at: AT });
    expect(parsePlan(source)).toEqual(parsePlan(source));
    const frontMatter = WHOLE_PLAN.slice("---\n".length, WHOLE_PLAN.indexOf("\n---\n") + 1);
    expect(asked).toEqual([frontMatter, frontMatter]);
  });

  test("[PLAN-02] front matter becomes fields, and everything after it the body, unchanged", () => {
    const { item, headings } = accepted(WHOLE_PLAN);
    expect(item).toMatchObject({
      id: "goal-0190f8a2",
      type: "goal",
      interactionMode: "act_and_report",
      skills: ["http-check"],
      onStuck: "tell",
      body: BODY,
    });
    expect(headings.map(({ text }) => text)).toEqual(["Context", "What to do", "Constraints", "If you get stuck"]);
    const body = "\r\n  # Odd \r\n\r\n---\r\nid: other\r\n---\r\nend";
    expect(accepted(taskFile("", body)).item.body).toBe(body);
  });

  test("front matter may end its lines with CRLF, and only a line of exactly three hyphens ends it", () => {
    const text = 'id: a\r\ntype: task\r\ntitle: "---"\r\nfailure_context: |\r\n  ---\r\n  x\r\n';
    const { item } = accepted(`---\r\n${text}---\r\nbody`);
    expect(item).toMatchObject({ title: "---", body: "body" });
    expect(item.failureContext).toContain("---");
  });

  test("[PLAN-04] a parsed item is unapproved and not begun, and needs approval whatever it says", () => {
    const { item, notices } = accepted(taskFile("needs_approval: false"));
    expect(item).toMatchObject({
      needsApproval: true,
      approvalToken: null,
      status: "pending",
      attempts: 0,
      verificationResults: [],
      createdAt: AT,
      budgetUsed: { tokens: 0, costUsd: 0, wallTimeSeconds: 0, attempts: 0, plannerCalls: 0, executorRuns: 0 },
    });
    expect(notices.map(({ code }) => code)).toContain("approval_always_needed");
  });

  test.each(Object.keys(RUNTIME_STATE.children))("[PLAN-04] a plan cannot set %s", (name) => {
    for (const value of ["null", "done", "{}", "[]", "0"]) {
      expect(problems(taskFile(`${name}: ${value}`))).toEqual([`runtime_field 5:1 ${name}`]);
    }
  });

  test("[PLAN-05] [BUD-01] a budget takes its defaults for what it leaves out", () => {
    const whole = { maxTokens: 200_000, maxCostUsd: 2, maxWallTimeSeconds: 1800, maxAttempts: 5, maxPlannerCalls: 3 };
    const { item } = accepted(taskFile());
    expect(item.budget).toEqual(whole);
    expect(Object.entries(item.budgetUsed)).toEqual(
      ["tokens", "costUsd", "wallTimeSeconds", "attempts", "plannerCalls", "executorRuns"].map((name) => [name, 0]),
    );
    expect(accepted(taskFile("budget: { max_tokens: 10, max_cost_usd: 2.50 }")).item.budget).toEqual({
      ...whole,
      maxTokens: 10,
      maxCostUsd: 2.5,
    });
  });

  test("[PLAN-06] skills left out are the parent's, an empty list is a choice", () => {
    const omitted = accepted(taskFile());
    const empty = accepted(taskFile("skills: []"));
    const named = accepted(taskFile("skills: [coding]"));
    expect(omitted.writtenKeys.has("skills")).toBe(false);
    expect(empty.writtenKeys.has("skills")).toBe(true);
    expect(withEffectiveSkills(omitted, ["search"]).skills).toEqual(["search"]);
    expect(withEffectiveSkills(omitted, null).skills).toEqual([]);
    expect(withEffectiveSkills(empty, ["search"]).skills).toEqual([]);
    expect(withEffectiveSkills(named, ["search"]).skills).toEqual(["coding"]);
  });

  test("[WORK-01] the three types and the eight states are all there are", () => {
    expect(FRONT_MATTER.children.type.kind.expected).toBe("task, project or goal");
    const { schema } = RUNTIME_STATE.children.status.kind;
    const states = ["pending", "running", "healthy", "done", "failed", "stuck", "blocked", "paused"];
    for (const state of states) expect(schema.safeParse(state).success).toBe(true);
    expect(RUNTIME_STATE.children.status.kind.expected.split(/, | or /)).toEqual(states);
    for (const type of ["system", "Task", "tasks"]) {
      expect(problems(planFile(`id: a\ntype: ${type}\ntitle: b`))).toEqual(["wrong_value 3:1 type"]);
    }
  });

  test("[WORK-02] every plan field has its default, and a mode that was not written is told from one that was", () => {
    const { item, writtenKeys } = accepted(taskFile());
    const { body, budget, budgetUsed, ...rest } = item;
    expect(rest).toEqual({
      id: "task-1",
      type: "task",
      title: "A task",
      parent: null,
      spawnedBy: null,
      followUpOf: null,
      domain: null,
      schedule: null,
      failureContext: null,
      agent: "ephemeral",
      needsApproval: true,
      approvalToken: null,
      interactionMode: "confirm_only_when_required",
      onFailure: "report",
      onStuck: "consult_planner",
      inputArtifactsFrom: [],
      verify: [],
      gates: [],
      skills: [],
      tasks: [],
      dependsOn: [],
      accessLevels: {},
      escalation: {},
      status: "pending",
      attempts: 0,
      verificationResults: [],
      createdAt: AT,
    });
    expect([body, typeof budget, typeof budgetUsed]).toEqual([BODY, "object", "object"]);
    expect(writtenKeys.has("interaction_mode")).toBe(false);
    const written = accepted(taskFile("interaction_mode: confirm_only_when_required"));
    expect(written.writtenKeys.has("interaction_mode")).toBe(true);
  });

  test("[WORK-04] an escalation has one of eight actions, two retries and no fallback unless it says so", () => {
    const actions =
      "report escalate_human transfer_to_queue suppress_and_rephrase suppress_and_escalate respond spawn_task retry";
    for (const action of actions.split(" ")) {
      expect(accepted(taskFile(`escalation: { a: { action: ${action} } }`)).item.escalation["a"]).toEqual({
        action,
        queue: null,
        message: null,
        instruction: null,
        fallback: null,
        maxRetries: 2,
      });
    }
    expect(problems(taskFile("escalation: { a: { action: explode } }"))).toEqual([
      "wrong_value 5:20 escalation.a.action",
    ]);
  });

  test("[WORK-05] only a goal may use the stream, and one that is always on does", () => {
    for (const type of ["task", "project"]) {
      const text = planFile(`id: a\ntype: ${type}\ntitle: b\nagent: stream`);
      expect(problems(text)).toEqual(["agent_lane_invalid 5:1 agent"]);
    }
    expect(accepted(goalFile()).item.agent).toBe("ephemeral");
    expect(accepted(goalFile("agent: stream")).item.agent).toBe("stream");
    expect(accepted(goalFile("schedule: always_on")).item.agent).toBe("stream");
    expect(accepted(goalFile("schedule: always_on\nagent: ephemeral")).item.agent).toBe("ephemeral");
    expect(accepted(goalFile('schedule: "0 9 * * *"')).item.agent).toBe("ephemeral");
  });

  test("[WORK-07] a schedule is five cron fields or always_on, and only a goal has one", () => {
    expect(problems(goalFile("schedule: daily"))).toEqual(["schedule_invalid 5:1 schedule"]);
    expect(accepted(goalFile("schedule: null")).item.schedule).toBeNull();
    expect(problems(taskFile("schedule: always_on"))).toEqual(["not_for_type 5:1 schedule"]);
  });
});

describe("checks of a plan", () => {
  test.each(["{ exit_code: 0 }", '{ equals: "" }', '{ contains: "" }', "{ output_lt: 0 }", "{ not_empty: true }"])(
    "[VER-02] %s is one predicate",
    (expectation) => expect(parse(check(expectation)).ok).toBe(true),
  );

  test.each([
    ["{}", "predicate_missing"],
    ["{ not_empty: false }", "predicate_missing"],
    ["{ exit_code: null }", "predicate_missing"],
    ["{ exit_code: 0, equals: a }", "predicate_repeated"],
    ['{ exit_code: 0, contains: "" }', "predicate_repeated"],
    ["{ output_lt: 0, output_gt: 0 }", "predicate_repeated"],
  ])("[VER-02] %s is refused", (expectation, code) =>
    expect(problems(check(expectation))).toEqual([`${code} 8:5 verify.0.expect`]),
  );

  test("[VER-02] a predicate that is false beside one that is set does not count, and is not kept", () => {
    const [first] = accepted(check("{ exit_code: 0, not_empty: false }")).item.verify;
    expect(first?.expect).toMatchObject({ exitCode: 0, notEmpty: null });
  });

  test.each([
    ["{ exit_code: -1 }", "wrong_value"],
    ["{ exit_code: 256 }", "wrong_value"],
    ["{ exit_code: 0.5 }", "wrong_value"],
    ['{ exit_code: "0" }', "wrong_value"],
    ["{ output_lt: .nan }", "number_refused"],
    ["{ output_lt: .inf }", "number_refused"],
    ["{ output_lt: 1e300 }", "wrong_value"],
    ['{ output_lt: "5" }', "wrong_value"],
    ["{ regex: '(a+)+\\1' }", "pattern_refused"],
    ["{ regex: '(' }", "pattern_refused"],
    ["{ file_exists: /etc/shadow }", "path_refused"],
    ["{ file_exists: ../x }", "path_refused"],
    ["{ file_exists: ~/.ssh/id }", "path_refused"],
    ["{ file_exists: 'a\\b' }", "path_refused"],
    ['{ file_exists: "a\\0b" }', "unsafe_text"],
    ["{ exitcode: 0 }", "unknown_key"],
  ])("%s is refused with %s", (expectation, code) =>
    expect(refused(check(expectation)).map((found) => found.code)).toContain(code),
  );

  test.each(["0", "-1", "86401", "2147483648", "1.5", '"60"', "null", "1e3000"])(
    "a timeout of %s is refused",
    (timeout) =>
      expect(refused(check("{ exit_code: 0 }", `    timeout: ${timeout}`)).map(({ line }) => line)).toEqual([9]),
  );

  test("[PLAN-03] a command with a shell operator is refused, and says which", () => {
    const run = (command: string) => taskFile(`verify:\n  - { name: c, run: ${command}, expect: { exit_code: 0 } }`);
    const [problem, ...more] = refused(run('"npm test | tee log"'));
    expect(problem).toMatchObject({ code: "command_operator", key: "verify.0.run", found: ["|"], line: 6 });
    expect(more).toEqual([]);
    expect(refused(run('"echo $(id)"'))[0]).toMatchObject({ code: "command_expansion" });
    expect(refused(run('"npm test\\u202e"'))[0]).toMatchObject({ code: "unsafe_text" });
  });
});

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

describe("notices", () => {
  test("what is accepted and still worth saying", () => {
    const codes = (markdown: string) =>
      accepted(markdown).notices.map(({ code, line, about }) => `${code} ${line} ${about}`);
    expect(codes(check("{ exit_code: 0 }"))).toEqual([]);
    expect(codes(taskFile())).toEqual(["unverified 2 "]);
    expect(codes(taskFile("", "# Context\n```\n# What to do\n```\nhid\u202eden\n"))).toEqual([
      "unverified 2 ",
      "heading_missing 6 What to do",
      "heading_missing 6 Constraints",
      "heading_missing 6 If you get stuck",
      "hidden_characters 10 ",
    ]);
  });
});
