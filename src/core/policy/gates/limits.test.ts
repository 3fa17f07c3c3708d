import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import { gateOf } from "../../../../test/gate-texts.ts";
import { judgeAdvice } from "./advice.ts";
import { judgeFile } from "./file-valid.ts";
import { answered, passing } from "./gates.fixture.ts";
import { textToGuard } from "./guardrail.ts";
import { isMoment } from "./lanes.ts";
import { takeRewrite } from "./rewrite.ts";

const codeOf = (answer: { readonly code?: string | undefined }) => answer.code;

describe("a gate at the edge of what it takes", () => {
  test.each([
    [-0.001, "advice_missing"],
    [0, "advice"],
    [1, "advice"],
    [1.001, "advice_missing"],
  ])("a score of %s is: %s", (score, code) => {
    const fact = answered({ ...passing, score });
    const { result } = judgeAdvice(gateOf({ provider: "llm" }), { fact, trigger: "on_tool_call", scopeId: "s" });
    expect(codeOf(result)).toBe(code);
  });

  test.each([
    [-1, 0, "settings_malformed"],
    [0, 0, "passed"],
    [0, 1, "file_too_large"],
    [100, 100, "passed"],
    [100, 101, "file_too_large"],
  ])("with at most %s bytes a file of %s is: %s", (max, sizeBytes, code) => {
    const gate = gateOf({ config: { max_size_bytes: max } });
    expect(codeOf(judgeFile(gate, { path: "a", fact: { state: "file", sizeBytes } }))).toBe(code);
  });

  test("a text is as long as the limit at most", () => {
    const gate = gateOf({ on: "every_user_message", extract: null });
    const guard = (chars: number) => textToGuard(gate, { message: "x".repeat(chars) });
    expect(guard(LIMITS.gateTextChars).ok).toBe(true);
    expect(guard(LIMITS.gateTextChars + 1)).toMatchObject({ error: { code: "text_too_long" } });
  });

  test("a rewrite names as many keys as the limit at most", () => {
    const rewrite = (keys: number) => {
      const modified = Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 1]));
      return takeRewrite({ gate: gateOf({}), context: { message: "m" }, modified, toolArgsAre: "proposed" }).ok;
    };
    expect([rewrite(LIMITS.gateRewriteKeys), rewrite(LIMITS.gateRewriteKeys + 1)]).toEqual([true, false]);
  });

  test("steps are counted from zero", () => {
    const moment = (stepIndex: number) => isMoment({ trigger: "after_step", stepIndex });
    expect([moment(-1), moment(0), moment(1)]).toEqual([false, true, true]);
  });
});
