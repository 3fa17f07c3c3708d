import { describe, expect, test } from "vitest";
import { err, type Result } from "#base";
import type { AuditDraft, Gate, GateContext, GateFiring } from "#model";
import type { AuditLog, GateProvider, Timers } from "#ports";
import { firingOf, gateOf } from "../../../../test/gate-texts.ts";
import { createAuditWorld, recorded, settled } from "../audit.fixture.ts";
import { createCustomProvider, createGuardrailProvider, createPredicateProvider } from "./providers.ts";
import type { GateProviders } from "./registry.ts";
import { createGateRunner, type GateRunnerDeps } from "./runner.ts";

const passing = { action: "continue", reason: "fine" };
const said = (answer: unknown): GateProvider => ({ check: () => answer });

type Make = {
  readonly gates: readonly Gate[];
  readonly providers?: GateProviders;
  readonly deps?: Partial<GateRunnerDeps>;
};

function world({ gates, providers = new Map(), deps = {} }: Make) {
  const { audit, clock, timers, move } = createAuditWorld();
  const settings = { evaluationsMax: 32, adviceMs: 8_000 };
  const runner = createGateRunner({ system: gates, providers, audit, clock, timers, settings, ...deps });
  return { audit, move, run: (firing: Partial<GateFiring> = {}) => runner.run(firingOf(firing)) };
}
const only = (provider: GateProvider): GateProviders => new Map([["custom", provider]]);
const custom = (fields: Partial<Gate> = {}): Gate => gateOf({ provider: "custom", ...fields });

describe("providers", () => {
  test("[GATE-11] whoever stands under the name of a provider is asked; nothing else changes with it", async () => {
    for (const [provider, verdict] of [
      [said(passing), "continue"],
      [said({ action: "block", reason: "no" }), "block"],
      [said(Promise.resolve({ action: "require_approval", reason: "ask" })), "require_approval"],
    ] as const) {
      expect((await world({ gates: [custom()], providers: only(provider) }).run()).verdict).toBe(verdict);
    }
  });

  test("[GATE-12] a callable of our own is asked by its name, and its answer is filtered and recorded like any other", async () => {
    const callables = { scrub: () => ({ ...passing, modified_context: { message: "clean", owner: "me" } }) };
    const { run, audit } = world({
      gates: [custom({ name: "scrubber", on: "every_user_message", check: "scrub" })],
      providers: only(createCustomProvider(callables)),
    });
    const outcome = await run({ trigger: "every_user_message", context: { message: "dirty" } });
    expect(outcome.policy).toMatchObject([{ lane: "policy", action: "continue" }]);
    expect(outcome.context).toEqual({ message: "clean" });
    expect((await recorded(audit)).map(([event]) => event)).toEqual([
      "rejected_mutation",
      "gate_mutation",
      "gates_passed",
    ]);
  });

  test("[GATE-24] nobody there, or nobody of that name, blocks", async () => {
    const { run } = world({ gates: [gateOf({ provider: "script" })] });
    expect((await run()).firstBlock).toMatchObject({ reason: "No provider: script" });
    const named = world({ gates: [custom({ check: "toString" })], providers: only(createCustomProvider({})) });
    expect((await named.run()).firstBlock?.code).toBe("validator_unknown");
  });

  const real: readonly (readonly [string, Gate, GateContext])[] = [
    ["predicate", gateOf({ type: "string_match", allowedValues: ["x"] }), { tool: "x" }],
    ["guardrails_ai", gateOf({ provider: "guardrails_ai", check: "ok", on: "every_user_message" }), { message: "hi" }],
    ["custom", custom({ check: "ok" }), {}],
  ];
  const faults: readonly (readonly [string, (check: GateProvider["check"]) => GateProvider | null])[] = [
    ["is not there", () => null],
    [
      "throws",
      () => ({
        check: () => {
          throw new Error("ana@example.org");
        },
      }),
    ],
    ["rejects", () => ({ check: () => Promise.reject(new Error("no")) })],
    ["never answers", () => ({ check: () => new Promise(() => {}) })],
    ["answers nothing", () => said(undefined)],
    ["answers an action nobody knows", () => said({ ...passing, action: "allow" })],
    ["answers a value that is no number", () => said({ ...passing, value: Number.NaN })],
    ["rewrites into the wrong type", () => said({ ...passing, modified_context: { message: 1 } })],
    [
      "changes what it was given",
      (check) => ({
        check(gate, context) {
          (context as { tool: string }).tool = "other";
          return check(gate, context);
        },
      }),
    ],
  ];
  const healthy: GateProviders = new Map([
    ["predicate", createPredicateProvider({ workDir: "/nowhere" })],
    [
      "guardrails_ai",
      createGuardrailProvider({ ok: { configProblem: () => null, build: () => () => ({ state: "passed" }) } }),
    ],
    ["custom", createCustomProvider({ ok: () => passing })],
  ]);

  describe.each(real)("%s", (name, gate, context) => {
    const firing = { trigger: gate.on, context };

    test("passes when it is well", async () => {
      expect((await world({ gates: [gate], providers: healthy }).run(firing)).verdict).toBe("continue");
    });

    test.each(faults)("[GATE-24] blocks when it %s, and goes on record as that", async (_, broken) => {
      const provider = broken((asked, given) => healthy.get(name)?.check(asked, given));
      const { run, move, audit } = world({
        gates: [gate],
        providers: new Map(provider === null ? [] : [[name, provider]]),
      });
      const running = run(firing);
      await settled();
      await move(5_000);
      const outcome = await running;
      expect([outcome.verdict, outcome.context]).toEqual(["block", context]);
      const entries = await recorded(audit);
      expect(entries.map(([event]) => event)).toEqual(["gate_blocked"]);
      expect(JSON.stringify(entries)).not.toContain("ana@example.org");
    });
  });
});

describe("the record", () => {
  const refusing: Pick<AuditLog, "append"> = {
    append: async () => err({ code: "store_unavailable", retryable: true } as never),
  };
  const throwing: Pick<AuditLog, "append"> = { append: () => Promise.reject(new Error("disk")) };

  test.each([refusing, throwing])("what cannot be recorded blocks", async (audit) => {
    const { run } = world({ gates: [custom()], providers: only(said(passing)), deps: { audit } });
    expect(await run()).toMatchObject({
      verdict: "block",
      firstBlock: { code: "record_failed" },
      escalation: "report",
    });
  });

  test("the outcome is known only when it is on record", async () => {
    const order: string[] = [];
    const slow: Pick<AuditLog, "append"> = {
      async append(draft: AuditDraft): Promise<Result<never, never>> {
        await settled();
        order.push(draft.event);
        return { ok: true, value: undefined as never };
      },
    };
    const { run } = world({ gates: [custom()], providers: only(said(passing)), deps: { audit: slow } });
    await run();
    order.push("outcome");
    expect(order).toEqual(["gates_passed", "outcome"]);
  });

  test("no text, name or value of a person gets into the chain", async () => {
    const canary = "Canary Ana 078-05-1120";
    const { run, audit } = world({
      gates: [custom({ name: canary.toLowerCase(), onBlock: "Report" })],
      providers: only(
        said({ action: "block", reason: canary, value: canary, modified_context: { message: canary, [canary]: 1 } }),
      ),
    });
    await run({ context: { message: canary, tool: canary, toolArgs: { [canary]: canary } }, scopeId: canary });
    const text = JSON.stringify(await recorded(audit));
    expect(text).toContain("gate_blocked");
    expect(text).not.toMatch(/canary|ana|1120/i);
  });
});

describe("what providers get", () => {
  test("copies that nobody can change, so that an answer is the only way to rewrite", async () => {
    const context = { toolArgs: { list: ["a"] } };
    const meddling: GateProvider = {
      check(gate, given) {
        (given.toolArgs as { list: string[] }).list.push("b");
        (gate as { onBlock: string }).onBlock = "nothing";
        return passing;
      },
    };
    const gate = custom({ config: { deep: { x: 1 } } });
    const outcome = await world({ gates: [gate], providers: only(meddling) }).run({ context, itemGates: [] });
    expect([outcome.verdict, outcome.escalation, outcome.context, context]).toEqual([
      "block",
      "report",
      { toolArgs: { list: ["a"] } },
      { toolArgs: { list: ["a"] } },
    ]);
    expect(Object.isFrozen(context.toolArgs.list)).toBe(false);
  });

  test("a firing that cannot be read at all blocks, and nothing is thrown", async () => {
    const { run } = world({ gates: [custom()], providers: only(said(passing)) });
    const outcome = await run({ context: { message: (() => "trap") as never } });
    expect([outcome.verdict, await outcome.quality]).toEqual(["block", []]);
  });
});

describe("advice", () => {
  const advisor = (name: string): Gate => gateOf({ name, provider: "llm", on: "every_agent_response" });
  const rewriter = gateOf({ name: "rewriter", provider: "custom", on: "every_agent_response" });

  test("[GATE-20] it is asked for after the policy lane, on what that lane left", async () => {
    const order: string[] = [];
    const providers: GateProviders = new Map([
      ["custom", { check: () => (order.push("policy"), { ...passing, modified_context: { response: "new" } }) }],
      [
        "llm",
        {
          check: (_: Gate, { response }: GateContext) => (
            order.push(`advice on ${response}`),
            { ...passing, score: 1 }
          ),
        },
      ],
    ]);
    const { run } = world({ gates: [advisor("tone"), rewriter], providers });
    const outcome = await run({ trigger: "every_agent_response", context: { response: "old" } });
    expect(await outcome.quality).toMatchObject([{ gateName: "tone", score: 1 }]);
    expect(order).toEqual(["policy", "advice on new"]);
  });

  test("[GATE-20] [GATE-23] all of it has one deadline that no outcome waits for, and silence changes nothing", async () => {
    const providers: GateProviders = new Map([
      ["custom", said(passing)],
      ["llm", { check: () => new Promise(() => {}) }],
    ]);
    const { run, move, audit } = world({ gates: [advisor("a"), advisor("b"), rewriter], providers });
    const outcome = await run({ trigger: "every_agent_response", context: { response: "r" } });
    expect([outcome.verdict, outcome.context]).toEqual(["continue", { response: "r" }]);
    await move(8_000);
    expect((await outcome.quality).map(({ flags, action }) => [flags, action])).toEqual([
      [["llm_error"], "continue"],
      [["llm_error"], "continue"],
    ]);
    expect((await recorded(audit)).map(([event]) => event)).toEqual([
      "gates_passed",
      "quality_gate_output",
      "quality_gate_output",
    ]);
  });

  test("[GATE-23] an advisor that is missing, throws, blocks or rewrites leaves the outcome as it would be without", async () => {
    const without = await world({ gates: [rewriter], providers: only(said(passing)) }).run(reply);
    for (const llm of [
      null,
      said({ action: "block", reason: "", modified_context: { response: "x" } }),
      {
        check: () => {
          throw new Error("x");
        },
      },
    ]) {
      const providers: GateProviders = new Map([
        ["custom", said(passing)],
        ...(llm === null ? [] : ([["llm", llm]] as const)),
      ]);
      const outcome = await world({ gates: [advisor("a"), rewriter], providers }).run(reply);
      await outcome.quality;
      expect([outcome.verdict, outcome.context, outcome.policy]).toEqual([
        without.verdict,
        without.context,
        without.policy,
      ]);
    }
  });
  const reply: Partial<GateFiring> = { trigger: "every_agent_response", context: { response: "r" } };

  test("[GATE-06] a promoted model gate is waited for, and its block is a block", async () => {
    const promoted = { ...advisor("judge"), promoteToPolicy: true };
    const providers: GateProviders = new Map([["llm", said({ action: "block", reason: "medical advice" })]]);
    expect((await world({ gates: [promoted], providers }).run(reply)).verdict).toBe("block");
  });
});

test("a timer that is not needed is taken back", async () => {
  let open = 0;
  const timers: Timers = {
    after() {
      open += 1;
      return () => void (open -= 1);
    },
  };
  await world({ gates: [custom()], providers: only(said(passing)), deps: { timers } }).run();
  expect(open).toBe(0);
});
