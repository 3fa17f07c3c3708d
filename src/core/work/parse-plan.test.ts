import { describe, expect, test } from "vitest";
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
} from "../../../test/plan-texts.ts";
import { withEffectiveSkills } from "./skills.ts";

const RUNTIME_FIELDS = Object.keys(RUNTIME_STATE.children);

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

  test("[PLAN-04] [FLOW-07] a parsed item is unapproved and not begun, and needs approval whatever it says", () => {
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

  test.each(RUNTIME_FIELDS)("[PLAN-04] [FLOW-08] a plan cannot set %s", (name) => {
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
      steps: [],
      executor: null,
      tools: [],
      files: { read: [], write: [] },
      repository: null,
      reviewedBatches: null,
      hosts: [],
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
    expect(problems(goalFile('schedule: "0 0 31 2 *"'))).toEqual(["schedule_never 5:1 schedule"]);
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

describe("notices", () => {
  test("what is accepted and still worth saying", () => {
    const codes = (markdown: string) =>
      accepted(markdown).notices.map(({ code, line, about }) => `${code} ${line} ${about}`);
    expect(codes(check("{ exit_code: 0 }"))).toEqual([]);
    expect(codes(taskFile())).toEqual(["unverified 2 "]);
    expect(codes(check('{ contains: "" }'))).toEqual(["check_says_nothing 2 c"]);
    expect(codes(taskFile("", "# Context\n```\n# What to do\n```\nhid\u202eden\n"))).toEqual([
      "unverified 2 ",
      "heading_missing 6 What to do",
      "heading_missing 6 Constraints",
      "heading_missing 6 If you get stuck",
      "hidden_characters 10 ",
    ]);
  });
});
