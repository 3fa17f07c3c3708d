import { describe, expect, test } from "vitest";
import type { Gate } from "#model";
import type { GateProvider } from "#ports";
import type { GateMoment } from "#work";
import { gateOf } from "../../../../test/gate-texts.ts";
import { createAuditWorld, recorded, settled } from "../audit.fixture.ts";
import { createCustomProvider, createGuardrailProvider, createPredicateProvider } from "../gates/providers.ts";
import { createGateRunner } from "../gates/runner.ts";
import { SHIPPED_MEANS } from "../gates/registry.ts";
import { performGates } from "./perform-gates.ts";

type Asking = { readonly gates: readonly Gate[]; readonly callable?: GateProvider["check"] };
const NEVER = new Promise<void>(() => {});
const CALL: GateMoment = {
  trigger: "on_tool_call",
  stepIndex: 0,
  tool: "transfer",
  toolArgs: { amount: 50, to: ["ana", "eve"] },
};
const printed = (output: string): GateMoment => ({ trigger: "after_step", stepIndex: 1, output });

/** The real runner, with one callable, and with advice from whoever is called `llm`. */
function world({ gates: own, callable }: Asking) {
  const audited = createAuditWorld();
  const gates = createGateRunner({
    ...audited,
    system: [],
    providers: new Map<string, GateProvider>([
      ["predicate", createPredicateProvider({ workDir: "/nowhere" })],
      ["guardrails_ai", createGuardrailProvider(SHIPPED_MEANS.validators)],
      ["custom", createCustomProvider({ own: (gate, context) => callable?.(gate, context) })],
      [
        "llm",
        { check: () => ({ action: "block", reason: "I would not", score: 0.2, modified_context: { response: "x" } }) },
      ],
    ]),
    settings: { evaluationsMax: 20, adviceMs: 1_000 },
  });
  const ask = (moment: GateMoment, stopping = NEVER) =>
    performGates({ gates, plan: { gates: own }, runId: "run-1", stopping }, moment);
  return { ...audited, ask };
}
const custom = (callable: GateProvider["check"], fields: Partial<Gate> = {}): Asking => ({
  gates: [gateOf({ name: "own", provider: "custom", check: "own", ...fields })],
  callable,
});
const rewriting = (modified: object, fields: Partial<Gate> = {}): Asking =>
  custom(() => ({ action: "continue", reason: "changed", modified_context: modified }), fields);

describe("before a step", () => {
  test("[WORK-23] a gate sees the name of the tool and its arguments", async () => {
    const seen: unknown[] = [];
    const { ask } = world(
      custom((_gate, context) => {
        seen.push(context);
        return { action: "continue", reason: "fine" };
      }),
    );
    expect(await ask(CALL)).toEqual({ pass: true, toolArgs: null, output: null });
    expect(seen).toEqual([{ tool: "transfer", toolArgs: { amount: 50, to: ["ana", "eve"] } }]);
  });

  test("[WORK-23] what becomes less by the gate's own bounds is what goes on", async () => {
    const clamp = gateOf({
      name: "most",
      type: "numeric_range",
      extract: "amount",
      autoApprove: { min: 0, max: 10 },
      config: { normalise: { clamp: { min: 0, max: 10 } } },
    });
    const answer = await world({ gates: [clamp] }).ask(CALL);
    expect(answer).toEqual({ pass: true, toolArgs: { amount: 10, to: ["ana", "eve"] }, output: null });
  });

  test("[WORK-23] a rewrite that makes more or something else of what was approved holds the run", async () => {
    for (const tool_args of [{ amount: 500 }, { to: ["eve"] }, { more: 1 }, { amount: "50" }]) {
      const answer = await world(rewriting({ tool_args })).ask(CALL);
      expect(answer, JSON.stringify(tool_args)).toMatchObject({
        pass: false,
        error: expect.stringContaining("the new ones need your approval"),
      });
    }
  });

  test("what blocks, asks for a decision, throws, is unknown or never answers holds the run, with the gate's name", async () => {
    const throwing = custom(() => {
      throw new Error("secret");
    });
    const asks: readonly (readonly [Asking, RegExp])[] = [
      [custom(() => ({ action: "block", reason: "not today" })), /^Gate own: not today$/],
      [custom(() => ({ action: "require_approval", reason: "really?" })), /^Gate own asks for a decision.*really\?$/],
      [throwing, /^Gate own: The check failed$/],
      [custom(() => undefined), /^Gate own: The check gave no readable answer$/],
      [{ gates: [gateOf({ name: "s", provider: "script" })] }, /^Gate s: No provider: script$/],
    ];
    for (const [asking, words] of asks) {
      expect(await world(asking).ask(CALL)).toMatchObject({ pass: false, error: expect.stringMatching(words) });
    }
    const { ask, move } = world(custom(() => new Promise(() => {})));
    const answer = ask(CALL);
    await settled();
    await move(5_000);
    expect(await answer).toMatchObject({ pass: false, error: expect.stringContaining("in time") });
  });

  test("nobody waits for gates once the run is to end", async () => {
    const { ask } = world(custom(() => new Promise(() => {})));
    expect(await ask(CALL, Promise.resolve())).toMatchObject({ pass: false });
  });
});

describe("after a step", () => {
  const after = { on: "after_step", afterStep: 1 } as const;

  test("[WORK-26] a gate evaluates the value it names of what the step printed, by the index of the step", async () => {
    const gate = gateOf({ ...after, type: "numeric_range", extract: "amount", autoApprove: { min: 0, max: 9 } });
    const { ask } = world({ gates: [gate] });
    expect(await ask(printed("made it\namount: 7\n"))).toMatchObject({ pass: true });
    expect(await ask(printed("amount: 70\n"))).toMatchObject({ pass: false });
    expect(await ask(printed("nothing"))).toMatchObject({ pass: false });
    expect(await ask({ trigger: "after_step", stepIndex: 0, output: "amount: 70" })).toMatchObject({ pass: true });
  });

  test("[WORK-26] a rewrite of the output is taken over; any other key is dropped and recorded", async () => {
    const { ask, audit } = world(rewriting({ response: "less", steps: [] }, after));
    expect(await ask(printed("more"))).toEqual({ pass: true, toolArgs: null, output: "less" });
    expect((await recorded(audit)).map(([event]) => event)).toContain("rejected_mutation");
    const pii = gateOf({ ...after, provider: "guardrails_ai", check: "pii", config: { on_fail: "fix" } });
    const guarded = await world({ gates: [pii] }).ask(printed("write to ana@example.org\n"));
    expect(guarded).toMatchObject({ pass: true, output: expect.not.stringContaining("ana@example.org") });
  });
});

test("[WORK-25] advice goes on record as what it is, before a step and after it, and changes nothing", async () => {
  for (const [moment, fields, event] of [
    [CALL, { on: "on_tool_call" }, "quality_gate_tool_call"],
    [printed("fine"), { on: "after_step", afterStep: 1 }, "quality_gate_after_step"],
  ] as const) {
    const { ask, audit } = world({ gates: [gateOf({ name: "taste", provider: "llm", ...fields })] });
    expect(await ask(moment)).toEqual({ pass: true, toolArgs: null, output: null });
    await settled();
    const events = (await recorded(audit)).map(([name]) => name);
    expect(events).toContain(event);
    expect(events).not.toContain("gate_blocked");
  }
});
