import { describe, expect, test } from "vitest";
import { gateProblemWords, type Gate } from "#model";
import { accepted, refused, taskFile } from "../../../../test/plan-texts.ts";
import { gateOf } from "../../../../test/gate-texts.ts";
import { judgeGates, judgePlanGates, type GateRegistry } from "./problems.ts";

const registry: GateRegistry = {
  providers: ["predicate", "guardrails_ai", "custom"],
  checksOf: (provider) => (provider === "guardrails_ai" ? ["pii", "mine"] : provider === "custom" ? ["own"] : null),
  configProblem: ({ config }) => ("bad" in config ? "no bad" : null),
  commandProblem: (command) => (command.includes("|") ? "no shell" : null),
  patternProblem: (pattern) => (pattern.includes("(?=") ? "unsupported: (?=" : null),
};
const judge = (...gates: readonly Partial<Gate>[]) =>
  judgeGates(
    gates.map((fields, index) => gateOf({ name: `g${index}`, ...fields })),
    registry,
  ).map(({ code, path }) => [code, path.join(".")]);

describe("gates that are refused when they are loaded", () => {
  test.each<[string, string, Partial<Gate>]>([
    ["gate_provider_absent", "0.provider", { provider: "script", checkCommand: "true" }],
    ["gate_provider_absent", "0.provider", { provider: "llm" }],
    ["gate_provider_absent", "0.provider", { provider: "llm", promoteToPolicy: true }],
    ["gate_check_missing", "0.check", { provider: "guardrails_ai" }],
    ["gate_check_unknown", "0.check", { provider: "guardrails_ai", check: "pi" }],
    ["gate_check_unknown", "0.check", { provider: "guardrails_ai", check: "own" }],
    ["gate_check_unknown", "0.check", { provider: "custom", check: "constructor" }],
    ["gate_config_refused", "0.config", { provider: "guardrails_ai", check: "pii", config: { bad: 1 } }],
    ["gate_config_refused", "0.config", { config: { normalise: { round: true } } }],
    ["gate_config_refused", "0.config", { type: "file_valid", extract: "path", config: { max_size_bytes: -1 } }],
    ["gate_step_missing", "0.after_step", { on: "after_step" }],
    ["gate_step_missing", "0.after_step", { on: "on_tool_call", afterStep: 1 }],
    ["gate_pattern_missing", "0.config", { type: "regex" }],
    ["gate_pattern_refused", "0.config.pattern", { type: "regex", config: { pattern: "(?=a)" } }],
    ["gate_type_unfit", "0.type", { type: "custom_check" }],
    ["gate_type_unfit", "0.extract", { type: "file_valid" }],
  ])("[GATE-02] %s at %s", (code, path, gate) => expect(judge(gate)).toEqual([[code, path]]));

  test("[SCRIPT-09] a script needs a command that no shell has to read, and a type that can judge what it extracts", () => {
    const withScripts = { ...registry, providers: [...registry.providers, "script"] };
    const script = (fields: Partial<Gate>) =>
      judgeGates([gateOf({ provider: "script", checkCommand: "check --all", ...fields })], withScripts).map(
        ({ code, path }) => `${code} ${path.join(".")}`,
      );
    expect(script({ type: "custom_check" })).toEqual([]);
    expect(script({ type: "numeric_range", extract: "amount" })).toEqual([]);
    expect(script({ checkCommand: null })).toEqual(["gate_check_missing 0.check_command"]);
    expect(script({ checkCommand: "a | b" })).toEqual(["gate_config_refused 0.check_command"]);
    expect(script({ type: "custom_check", extract: "amount" })).toEqual(["gate_type_unfit 0.type"]);
    expect(script({ type: "regex", extract: "amount" })).toEqual(["gate_pattern_missing 0.config"]);
  });

  test("[GATE-02] two of one name", () => {
    expect(judge({ name: "a" }, { name: "b" }, { name: "a" })).toEqual([["gate_name_taken", "2.name"]]);
  });

  test("[GUARD-01] a validator is whatever the registry holds: a new name needs nothing else", () => {
    expect(judge({ provider: "guardrails_ai", check: "mine" })).toEqual([]);
    expect(judge({ provider: "custom", check: "own", type: "custom_check" })).toEqual([]);
  });

  test("every problem is one sentence, with what was probably meant", () => {
    const [unknown, absent] = judgeGates(
      [gateOf({ provider: "guardrails_ai", check: "pi" }), gateOf({ name: "b\u001b[31m", provider: "llm" })],
      registry,
    );
    expect(unknown && gateProblemWords(unknown)).toBe("there is no check pi; did you mean pii?");
    expect(absent && gateProblemWords(absent)).toMatch(/the provider llm, which this version of Silas does not have/);
    expect(absent && gateProblemWords(absent)).not.toContain("\u001b");
  });

  test("a plan is judged with its checks: their patterns are run by the same engine", () => {
    const { item } = accepted(taskFile("verify:\n  - { name: c, run: npm test, expect: { regex: ok } }"));
    const verify = item.verify.map((check) => ({ ...check, expect: { ...check.expect, regex: "(?=x)" } }));
    const gates = [gateOf({ provider: "script" })];
    expect(judgePlanGates({ ...item, gates, verify }, registry).map(({ path }) => path.join("."))).toEqual([
      "gates.0.provider",
      "verify.0.expect.regex",
    ]);
  });
});

describe("the record of a gate", () => {
  const gate = (line: string) => taskFile(`gates:\n  - { name: g, ${line} }`);

  test("[GATE-02] what is left out has its default", () => {
    expect(accepted(gate("on: every_user_message")).item.gates).toEqual([
      {
        name: "g",
        on: "every_user_message",
        afterStep: null,
        provider: "predicate",
        type: "string_match",
        check: null,
        config: {},
        extract: null,
        autoApprove: null,
        requireApproval: null,
        block: null,
        allowedValues: null,
        approvalValues: null,
        onBlock: "report",
        checkCommand: null,
        checkExpect: null,
        promoteToPolicy: false,
      },
    ]);
  });

  test.each([
    ["on", "never"],
    ["type", "fuzzy"],
    ["provider", "oracle"],
    ["provider", "__proto__"],
  ])("[GATE-01] %s takes nothing but its own words, so not %s", (key, word) => {
    const rest = key === "on" ? "" : "on: on_tool_call, ";
    expect(refused(gate(`${rest}${key}: ${word}`)).map(({ code, key: at }) => [code, at])).toEqual([
      ["wrong_value", `gates.0.${key}`],
    ]);
  });

  test("[GATE-01] each of its words is taken, and a lane cannot be written at all", () => {
    for (const on of ["every_user_message", "every_agent_response", "on_tool_call"]) accepted(gate(`on: ${on}`));
    for (const type of ["numeric_range", "string_match", "file_valid", "approval_always", "custom_check"]) {
      accepted(gate(`on: on_tool_call, type: ${type}`));
    }
    for (const provider of ["guardrails_ai", "predicate", "llm", "script", "custom"]) {
      accepted(gate(`on: on_tool_call, provider: ${provider}`));
    }
    expect(refused(gate("on: on_tool_call, lane: quality"))[0]?.code).toBe("unknown_key");
  });
});
