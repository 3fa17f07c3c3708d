import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ok } from "#base";
import type { Gate, GateContext } from "#model";
import { gateOf } from "../../../../test/gate-texts.ts";
import { numberOf } from "./numbers.ts";
import { judgePredicate, type MatchPattern } from "./predicate.ts";

const match: MatchPattern = (pattern, text) => ok(new RegExp(`^(?:${pattern})$`, "u").test(text));
const judge = (gate: Partial<Gate>, context: GateContext) => judgePredicate({ gate: gateOf(gate), context, match });
const toolCall = (value: GateContext["toolArgs"]) => ({ tool: "pay", toolArgs: value ?? {} });

const ranges: Partial<Gate> = {
  type: "numeric_range",
  extract: "amount",
  block: { outside: [0, 100] },
  autoApprove: { min: 0, max: 50 },
  requireApproval: { min: 25, max: 80 },
};
const amount = (value: unknown, gate = ranges) => judge(gate, toolCall({ amount: value as never }));

describe("numbers", () => {
  test.each([
    "",
    " ",
    "5 ",
    "+5",
    "05",
    "1e2",
    "0x10",
    "1_0",
    "1,0",
    ".5",
    "5.",
    "--5",
    "５",
    "٥",
    "Infinity",
    "NaN",
    "five",
    "5\n",
    "5\u200b",
    Number.NaN,
    Infinity,
    -Infinity,
    true,
    null,
    [5],
    { valueOf: 5 },
  ])("[PRED-02] %j is no number, so it blocks", (value) => {
    expect(numberOf(value)).toBeNull();
    expect(amount(value)).toMatchObject({ action: "block", code: "not_a_number" });
  });

  test("[PRED-02] plain decimals are numbers, as text too", () => {
    expect(["0", "-0.5", "12.25", 7, "123456789012345"].map(numberOf)).toEqual([0, -0.5, 12.25, 7, 123456789012345]);
  });

  test("[PRED-03] outside the bounds blocks whatever else would match, and the bounds themselves are inside", () => {
    const wide = { ...ranges, autoApprove: { min: -1e9, max: 1e9 }, requireApproval: { min: -1e9, max: 1e9 } };
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const isInside = value >= 0 && value <= 100;
        const { action, code } = amount(value, wide);
        expect(action === "block" && code === "outside_bounds").toBe(!isInside);
      }),
    );
    expect([amount(0, wide).action, amount(100, wide).action]).toEqual(["continue", "continue"]);
  });

  test("[PRED-04] [PRED-05] [PRED-06] what passes by itself wins; then what is asked about; the rest blocks", () => {
    const actions = [0, 24, 50, 51, 80, 81, 100].map((value) => amount(value).action);
    expect(actions).toEqual([
      "continue",
      "continue",
      "continue",
      "require_approval",
      "require_approval",
      "block",
      "block",
    ]);
    expect(amount(81).code).toBe("outside_ranges");
    expect(amount(5, { type: "numeric_range", extract: "amount" }).action).toBe("block");
  });

  test("bounds that are no numbers let nothing pass", () => {
    const odd = { min: Number.NaN, max: Number.NaN };
    expect(amount(5, { type: "numeric_range", extract: "amount", autoApprove: odd }).action).toBe("block");
    expect(amount(5, { ...ranges, block: { outside: [Number.NaN, 100] } }).action).toBe("block");
    expect(amount(5, { ...ranges, block: { outside: [] } }).action).toBe("block");
  });
});

describe("texts", () => {
  const lists = { allowedValues: ["read", "list"], approvalValues: ["write", "read"] };
  const tool = (name: string, gate: Partial<Gate> = lists) => judge(gate, { tool: name }).action;

  test("[PRED-07] allowed passes, asked about asks, and everything else blocks, also without any list", () => {
    expect([tool("read"), tool("write"), tool("rm"), tool("READ"), tool("read ")]).toEqual([
      "continue",
      "require_approval",
      "block",
      "block",
      "block",
    ]);
    expect([tool("read", {}), tool("constructor", {}), tool("", {})]).toEqual(["block", "block", "block"]);
  });

  test("a number is no text: nobody chose how it is spelled", () => {
    expect(judge({ extract: "n", allowedValues: ["5"] }, toolCall({ n: 5 })).action).toBe("block");
  });

  test("[PRED-08] a value that matches the pattern passes, and any other blocks", () => {
    const gate = { type: "regex", config: { pattern: "[a-z]+" } } as const;
    expect(["abc", "ab1", "", "x abc y"].map((name) => judge(gate, { tool: name }).action)).toEqual([
      "continue",
      "block",
      "block",
      "block",
    ]);
    expect(judge({ type: "regex" }, { tool: "abc" })).toMatchObject({ action: "block", code: "settings_malformed" });
  });

  test("[PRED-12] what is always asked about is asked about, whatever the value, and without one", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer(), fc.constant(undefined)), (value) => {
        const context = value === undefined ? {} : toolCall({ x: value });
        expect(judge({ type: "approval_always", extract: "x" }, context).action).toBe("require_approval");
      }),
    );
  });
});

describe("what is looked at", () => {
  const allowed = { allowedValues: ["yes"] };

  test("the message, the reply or the tool, where no variable is named", () => {
    const context = { message: "yes", response: "no", tool: "no" };
    expect(judge({ ...allowed, on: "every_user_message" }, context).action).toBe("continue");
    expect(judge({ ...allowed, on: "every_agent_response" }, context).action).toBe("block");
    expect(judge({ ...allowed, on: "on_tool_call" }, context).action).toBe("block");
  });

  test("an argument before a variable, for the argument is what the tool gets", () => {
    const context = { toolArgs: { x: "no" }, values: { x: "yes" } };
    expect(judge({ ...allowed, extract: "x" }, context).action).toBe("block");
    expect(judge({ ...allowed, extract: "x" }, { values: { x: "yes" } }).action).toBe("continue");
  });

  test("a value that is not there blocks, and no name is inherited", () => {
    for (const extract of ["x", "constructor", "toString"]) {
      expect(judge({ ...allowed, extract }, { toolArgs: {}, values: {} })).toMatchObject({
        action: "block",
        code: "value_missing",
      });
    }
    expect(judge({ ...allowed, on: "every_user_message" }, { response: "yes" })).toMatchObject({
      action: "block",
      code: "value_missing",
    });
    expect(judge({ ...allowed, on: "after_step", afterStep: 1 }, { tool: "yes" })).toMatchObject({
      action: "block",
      code: "value_missing",
    });
    expect(judge(allowed, { message: "yes" })).toMatchObject({ action: "block", code: "value_missing" });
  });

  test("[PRED-15] what was checked is given on as it was: numbers as numbers, texts as texts", () => {
    expect(amount(60).value).toBe(60);
    expect(judge({ approvalValues: ["write"] }, { tool: "write" }).value).toBe("write");
  });
});

describe("normalising", () => {
  const clamp = { ...ranges, config: { normalise: { clamp: { min: 0, max: 50 } } } };

  test("[PRED-14] a number is brought to the bound the gate states, and judged as that", () => {
    const answer = amount(500, clamp);
    expect(answer).toMatchObject({ action: "continue", value: 50, modified_context: { tool_args: { amount: 50 } } });
    expect(amount(20, clamp).modified_context).toBeUndefined();
  });

  test("[PRED-14] without such a rule nothing is rewritten", () => {
    for (const value of [-5, 20, 60, 500]) expect(amount(value).modified_context).toBeUndefined();
    expect(judge({ allowedValues: ["a"] }, { tool: " a " }).modified_context).toBeUndefined();
  });

  test("texts are trimmed and lowered, lists keep what is allowed, and what blocks stays as it came", () => {
    const tidy = {
      on: "every_user_message",
      allowedValues: ["yes"],
      config: { normalise: { trim: true, lower: true } },
    } as const;
    expect(judge(tidy, { message: " Yes " })).toMatchObject({
      code: "normalised",
      modified_context: { message: "yes" },
    });
    expect(judge(tidy, { message: " No " }).modified_context).toBeUndefined();
    const keep = { extract: "to", allowedValues: ["ana", "ben"], config: { normalise: { keep_allowed: true } } };
    expect(judge(keep, toolCall({ to: ["eve", "ana"] }))).toMatchObject({
      action: "continue",
      modified_context: { tool_args: { to: ["ana"] } },
    });
    expect(judge(keep, toolCall({ to: ["eve"] })).action).toBe("block");
    expect(judge(keep, toolCall({ to: ["ana", 5] })).action).toBe("block");
  });

  test.each<[string, Partial<Gate>]>([
    ["an unknown rule", { config: { normalise: { upper: true } } }],
    ["no map", { config: { normalise: "trim" } }],
    ["a clamp upside down", { ...ranges, config: { normalise: { clamp: { min: 5, max: 1 } } } }],
    ["a clamp of texts", { extract: "x", config: { normalise: { clamp: { min: 1, max: 5 } } } }],
    ["a clamp of what cannot be rewritten", { ...ranges, on: "after_step", config: clamp.config }],
    ["a number that is trimmed", { ...ranges, config: { normalise: { trim: true } } }],
    ["what is always asked about, in lower case", { type: "approval_always", config: { normalise: { lower: true } } }],
    ["a rule of another provider", { provider: "custom", config: { normalise: { trim: true } } }],
    ["a text of a step that is trimmed", { on: "after_step", extract: "x", config: { normalise: { trim: true } } }],
    ["lists without what is allowed", { extract: "x", config: { normalise: { keep_allowed: true } } }],
  ])("[PRED-14] %s blocks", (_, gate) => {
    expect(judge(gate, toolCall({ x: "a", amount: 1 }))).toMatchObject({ action: "block", code: "settings_malformed" });
  });

  test("a variable that is only looked at is not rewritten: it blocks where it would have to be", () => {
    expect(judge(clamp, { values: { amount: 500 } })).toMatchObject({ action: "block", code: "settings_malformed" });
    expect(judge(clamp, { values: { amount: 20 } }).action).toBe("continue");
  });
});

test("[PRED-01] the same gate and value give the same answer, and nothing is asked but the pattern engine", () => {
  const types = fc.constantFrom<Gate["type"]>("numeric_range", "string_match", "regex", "approval_always");
  const values = fc.oneof(fc.string(), fc.double(), fc.integer());
  fc.assert(
    fc.property(types, values, (type, value) => {
      const gate = Object.freeze({
        ...gateOf({ ...ranges, type, extract: "x", allowedValues: ["a"] }),
        config: { pattern: "a*" },
      });
      const context = Object.freeze({ values: Object.freeze({ x: value }) });
      const asked: string[] = [];
      const listening: MatchPattern = (pattern, text) => {
        asked.push(pattern);
        return match(pattern, text);
      };
      const once = judgePredicate({ gate, context, match: listening });
      expect(judgePredicate({ gate, context, match })).toEqual(once);
      expect(asked.length).toBeLessThanOrEqual(type === "regex" ? 1 : 0);
    }),
  );
});
