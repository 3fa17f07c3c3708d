import { describe, expect, test } from "vitest";
import { GATE_TRIGGERS, type Gate, type GateTrigger } from "#model";
import { gateOf } from "../../../../test/gate-texts.ts";
import { gatesFor, hasTrigger, isMoment, laneOf } from "./lanes.ts";

const PROVIDERS: readonly Gate["provider"][] = ["guardrails_ai", "predicate", "llm", "script", "custom"];
const names = (gates: readonly Gate[]): readonly string[] => gates.map(({ name }) => name);

describe("lanes", () => {
  test("[GATE-05] only a model advises; whoever else checks decides", () => {
    const lanes = PROVIDERS.map((provider) => [provider, laneOf(gateOf({ provider }))]);
    expect(Object.fromEntries(lanes)).toEqual({
      guardrails_ai: "policy",
      predicate: "policy",
      llm: "quality",
      script: "policy",
      custom: "policy",
    });
  });

  test("[GATE-05] what an author writes beside the provider moves nothing", () => {
    const declared = { ...gateOf({ provider: "predicate" }), lane: "quality" };
    expect(laneOf(declared)).toBe("policy");
    expect(laneOf({ ...gateOf({ provider: "llm" }), lane: "policy" } as Gate)).toBe("quality");
  });

  test("[GATE-06] a promoted model gate is asked with those that decide; the flag moves no other gate", () => {
    for (const provider of PROVIDERS) expect(laneOf(gateOf({ provider, promoteToPolicy: true }))).toBe("policy");
    const promoted = gateOf({ name: "judge", provider: "llm", promoteToPolicy: true });
    const { policy, quality } = gatesFor(
      { system: [promoted, gateOf({ name: "advice", provider: "llm" })], item: [] },
      { trigger: "on_tool_call", stepIndex: null },
    );
    expect([names(policy), names(quality)]).toEqual([["judge"], ["advice"]]);
  });
});

describe("the gates of a moment", () => {
  const system = GATE_TRIGGERS.map((on) => gateOf({ name: `s_${on}`, on, afterStep: on === "after_step" ? 2 : null }));
  const item = GATE_TRIGGERS.map((on) => gateOf({ name: `i_${on}`, on, afterStep: on === "after_step" ? 3 : null }));

  test.each(GATE_TRIGGERS.filter((on) => on !== "after_step"))("[GATE-08] at %s only its own are asked", (trigger) => {
    const { policy } = gatesFor({ system, item }, { trigger, stepIndex: null });
    expect(names(policy)).toEqual([`s_${trigger}`, `i_${trigger}`]);
  });

  test("[GATE-08] after a step only those of that step are asked", () => {
    const at = (stepIndex: number) => names(gatesFor({ system, item }, { trigger: "after_step", stepIndex }).policy);
    expect([at(2), at(3), at(4)]).toEqual([["s_after_step"], ["i_after_step"], []]);
  });

  test("[GATE-10] those of the configuration come first, each list in its own order", () => {
    const some = (letters: string) => [...letters].map((name) => gateOf({ name }));
    const { policy } = gatesFor({ system: some("zb"), item: some("ya") }, { trigger: "on_tool_call", stepIndex: null });
    expect(names(policy).join("")).toBe("zbya");
  });

  test("a gate that would never be asked is asked always, so that it can block", () => {
    const lost = [
      gateOf({ name: "lost", on: "someday" as GateTrigger }),
      gateOf({ name: "stepless", on: "after_step", afterStep: null }),
    ];
    expect(lost.map(hasTrigger)).toEqual([false, false]);
    const { policy } = gatesFor({ system: lost, item: [] }, { trigger: "every_user_message", stepIndex: null });
    expect(names(policy)).toEqual(["lost", "stepless"]);
  });

  test("a moment that has no name, or a step without a number, is none", () => {
    expect(isMoment({ trigger: "on_tool_call", stepIndex: null })).toBe(true);
    expect(isMoment({ trigger: "after_step", stepIndex: 0 })).toBe(true);
    expect(isMoment({ trigger: "constructor" as GateTrigger, stepIndex: null })).toBe(false);
    for (const stepIndex of [null, -1, 1.5, Number.NaN]) {
      expect(isMoment({ trigger: "after_step", stepIndex })).toBe(false);
    }
  });
});
