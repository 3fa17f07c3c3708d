import * as fc from "fast-check";
import { expect, test } from "vitest";
import { gateResultSchema, gateResultToWire, type Gate, type GateFiring } from "#model";
import { firingOf, gateOf } from "../../../../test/gate-texts.ts";
import { judgeAdvice } from "./advice.ts";
import type { GateFact } from "./answer.ts";
import { answered, play } from "./gates.fixture.ts";
import { laneOf } from "./lanes.ts";

const providers = fc.constantFrom<Gate["provider"]>("predicate", "llm", "custom", "script", "guardrails_ai");
const triggers = fc.constantFrom<Gate["on"]>("every_user_message", "every_agent_response", "on_tool_call");
const gates = fc.array(
  fc.record({ provider: providers, on: triggers, promoteToPolicy: fc.boolean() }).map((fields) => gateOf(fields)),
  { maxLength: 8 },
);
const named = (list: readonly Gate[], prefix: string): readonly Gate[] =>
  list.map((gate, index) => ({ ...gate, name: `${prefix}${index}` }));

/** What providers might say: good answers, bad ones, and things that are none. */
const modified = fc.oneof(
  fc.constant(null),
  fc.dictionary(
    fc.constantFrom("message", "response", "tool_args", "tool", "values", "__proto__", "taint"),
    fc.anything(),
  ),
  fc.anything(),
);
const answers = fc.oneof(
  fc.record(
    {
      action: fc.oneof(fc.constantFrom("continue", "block", "require_approval"), fc.anything()),
      reason: fc.oneof(fc.string(), fc.anything()),
      value: fc.oneof(fc.string(), fc.double(), fc.anything()),
      score: fc.oneof(fc.double(), fc.anything()),
      flags: fc.oneof(fc.array(fc.string()), fc.anything()),
      modified_context: modified,
    },
    { requiredKeys: [] },
  ),
  fc.anything(),
);
const facts: fc.Arbitrary<GateFact> = fc.oneof(
  { weight: 6, arbitrary: answers.map(answered) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: "missing" } as const, { kind: "failed" }, { kind: "timed_out" }) },
);
const contexts = fc.record(
  { message: fc.string(), response: fc.string(), tool: fc.string(), toolArgs: fc.constant({ a: 1, b: ["x"] }) },
  { requiredKeys: [] },
);
const plays = fc
  .record({
    system: gates,
    item: gates,
    trigger: triggers,
    context: contexts,
    given: fc.array(facts, { minLength: 1 }),
  })
  .map(({ system, item, trigger, context, given }) => {
    const firing = firingOf({ trigger, context, itemGates: named(item, "i") });
    return { system: named(system, "s"), firing, given };
  });

const run = ({
  system,
  firing,
  given,
}: {
  system: readonly Gate[];
  firing: GateFiring;
  given: readonly GateFact[];
}) => {
  let index = -1;
  return play({ system, firing, facts: () => given[(index += 1) % given.length] as GateFact });
};

test("[GATE-25] the same gates, moment, context and answers give the same results, order and context", () => {
  fc.assert(
    fc.property(plays, (input) => {
      expect(run(input)).toEqual(run(input));
    }),
    { numRuns: 200 },
  );
});

test("[GATE-04] a policy result has no score and no flags, and every result is of the shape that others read", () => {
  fc.assert(
    fc.property(plays, (input) => {
      for (const result of run(input).policy) {
        expect(result).toMatchObject({ lane: "policy", score: null, flags: [] });
        expect(gateResultSchema.safeParse(gateResultToWire(result)).success).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

test("[GATE-04] advice always continues, without a rewrite, and its score lies between nothing and one", () => {
  fc.assert(
    fc.property(facts, (fact) => {
      const { result } = judgeAdvice(gateOf({ provider: "llm" }), { fact, trigger: "on_tool_call", scopeId: "s" });
      expect([result.action, result.modifiedContext, result.lane]).toEqual(["continue", null, "quality"]);
      expect(result.score === null || (result.score >= 0 && result.score <= 1)).toBe(true);
      expect(gateResultSchema.safeParse(gateResultToWire(result)).success).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("[GATE-14] whoever answers, nothing of a context changes but message, reply and arguments, and those keep their types", () => {
  fc.assert(
    fc.property(plays, (input) => {
      const { message, response, toolArgs, ...rest } = run(input).context;
      const { message: _m, response: _r, toolArgs: _a, ...before } = input.firing.context;
      expect(rest).toEqual(before);
      expect([typeof message, typeof response].every((type) => type === "string" || type === "undefined")).toBe(true);
      expect(toolArgs === undefined || (typeof toolArgs === "object" && !Array.isArray(toolArgs))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("[GATE-10] every policy gate of the moment is asked, those of the configuration first", () => {
  fc.assert(
    fc.property(plays, (input) => {
      const { system, firing } = input;
      const wanted = [...system, ...(firing.itemGates ?? [])]
        .filter((gate) => gate.on === firing.trigger && laneOf(gate) === "policy")
        .map(({ name }) => name);
      const { asked } = run(input);
      expect(asked.slice(0, wanted.length)).toEqual(wanted);
      // Whoever is asked again is asked once, in the same order.
      const again = asked.slice(wanted.length);
      expect(wanted.filter((name) => again.includes(name))).toEqual(again);
    }),
  );
});

test("[GATE-24] nothing continues past a policy gate that did not say so", () => {
  fc.assert(
    fc.property(plays, (input) => {
      const out = run(input);
      const isOpen = out.policy.every(({ action }) => action === "continue");
      expect(out.verdict === "continue").toBe(isOpen);
      expect(out.policy).toHaveLength(new Set(out.asked).size);
    }),
    { numRuns: 300 },
  );
});
