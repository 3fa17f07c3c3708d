import { describe, expect, test } from "vitest";
import type { RunRecord } from "#model";
import type { GateMoment, RunEffect } from "./facts.ts";
import {
  callsOf,
  CHECKS,
  failure,
  kindsOf,
  live,
  newWorld,
  PASSED,
  planOf,
  success,
  type Answers,
  type World,
} from "./world.fixture.ts";

const STEPS = `
steps:
  - { name: first, tool: file_write, args: { path: one.txt, content: hello } }
  - { name: second, run: make two }
`;
const GATES = `
gates:
  - { name: calls, on: on_tool_call, extract: path, allowed_values: [one.txt] }
  - { name: output, on: after_step, after_step: 1, extract: amount, type: numeric_range, auto_approve: { min: 0, max: 9 } }
`;
type Lived = { readonly world: World; readonly run: RunRecord; readonly asked: readonly GateMoment[] };
const lived = (lines: string, answers: Answers = {}): Lived => {
  const world = newWorld();
  const { run } = live(world, { plan: planOf(lines), answers });
  const asked = world.effects.flatMap((effect) => (effect.kind === "check_gates" ? [effect] : []));
  return { world, run, asked };
};
describe("gates of a run", () => {
  test("[WORK-23] they see tool and arguments before each step, and what it printed after it", () => {
    const { world, run, asked } = lived(STEPS + GATES + CHECKS, { step: () => success({ stdout: "amount: 3\n" }) });
    expect(run).toMatchObject({ status: "done", isVerified: true });
    expect(asked.map(({ trigger, stepIndex }) => `${trigger} ${stepIndex}`)).toEqual([
      "on_tool_call 0",
      "after_step 0",
      "on_tool_call 1",
      "after_step 1",
    ]);
    expect(asked[0]).toMatchObject({ tool: "file_write", toolArgs: { path: "one.txt", content: "hello" } });
    expect(asked[2]).toMatchObject({ tool: "shell_exec", toolArgs: { argv: ["make", "two"] } });
    expect(asked[3]).toMatchObject({ output: "amount: 3\n" });
    const kinds = kindsOf(world);
    expect(kinds.slice(kinds.indexOf("open_space") + 1, kinds.indexOf("run_step"))).toEqual(["check_gates", "record"]);
  });

  test("a plan and a configuration without gates ask for none", () => {
    expect(lived(STEPS + CHECKS).asked).toEqual([]);
  });

  test("[WORK-23] what a gate holds does not run: the run is blocked with its reason, and no step is in the ledger", () => {
    const { world, run } = lived(STEPS + GATES + CHECKS, { gates: () => ({ pass: false, error: "Gate calls: no" }) });
    expect(run).toMatchObject({ status: "blocked", attempts: 1, lastError: "Step first was not run: Gate calls: no" });
    expect(world.kept.ledger).toEqual([]);
    expect(kindsOf(world)).not.toContain("run_step");
    expect(kindsOf(world)).not.toContain("run_checks");
  });

  test("[WORK-23] arguments that a gate rewrote are what runs; arguments that are no call are not run", () => {
    const rewrite = (toolArgs: Readonly<Record<string, string>>): Answers => ({
      gates: (moment) =>
        moment.stepIndex === 0 && moment.trigger === "on_tool_call" ? { ...PASSED, toolArgs } : PASSED,
    });
    const { world, run } = lived(STEPS + GATES, rewrite({ path: "one.txt", content: "he" }));
    expect(run.status).toBe("done");
    expect(JSON.parse(callsOf(world)[0]?.stdin ?? "")).toMatchObject({ args: { path: "one.txt", content: "he" } });
    const wrong = lived(STEPS + GATES, rewrite({ path: "one.txt" }));
    expect(wrong.run).toMatchObject({ status: "blocked" });
    expect(callsOf(wrong.world)).toEqual([]);
  });

  test("[WORK-26] what a gate made of the output is what is kept of it, before the next step or a check", () => {
    const { world, run } = lived(STEPS + GATES + CHECKS, {
      step: () => success({ stdout: "call 555-1234" }),
      gates: ({ trigger }) => (trigger === "after_step" ? { ...PASSED, output: "call [number]" } : PASSED),
    });
    expect(run.status).toBe("done");
    expect(world.kept.ledger.map(({ returnValue }) => returnValue)).toEqual(["call [number]", "call [number]"]);
    const written = world.effects.flatMap((effect) => (effect.kind === "record" ? effect.entries : []));
    expect(written.some(({ returnValue }) => returnValue.includes("555"))).toBe(false);
  });

  test("[WORK-27] a gate that holds the output blocks the run after that step; no check is asked", () => {
    const { world, run } = lived(STEPS + GATES + CHECKS, {
      gates: ({ trigger, stepIndex }) =>
        trigger === "after_step" && stepIndex === 1 ? { pass: false, error: "Gate output: too much" } : PASSED,
    });
    expect(run).toMatchObject({ status: "blocked", lastError: "After step second: Gate output: too much" });
    expect(world.kept.run).toEqual(run);
    expect(world.kept.ledger).toMatchObject([{ success: true }, { state: "ended", success: true }]);
    expect(kindsOf(world)).not.toContain("run_checks");
    expect(kindsOf(world).slice(-2)).toEqual(["finish", "close_space"]);
  });

  test("a step that failed is tried again without asking what it printed", () => {
    let tries = 0;
    const { run, asked } = lived(STEPS + GATES, { step: () => ((tries += 1) === 1 ? failure() : success()) });
    expect(run).toMatchObject({ status: "done", attempts: 2 });
    expect(asked.filter(({ trigger }) => trigger === "after_step")).toHaveLength(2);
  });

  test("stopping it while gates look ends it, and what they answer then changes nothing", () => {
    for (const trigger of ["on_tool_call", "after_step"] as const) {
      let isFirst = true;
      const { world, run } = lived(STEPS + GATES + CHECKS, {
        isCancel: (effect) =>
          effect.kind === "check_gates" && effect.trigger === trigger && isFirst && !(isFirst = false),
        gates: () => ({ pass: false, error: "too late" }),
        ...(trigger === "after_step" ? { gates: () => PASSED } : {}),
      });
      expect(run, trigger).toMatchObject({ status: "cancelled", lastError: "Stopped by you" });
      expect(kindsOf(world)).toContain("stop_running");
      expect(world.kept.ledger.every(({ state }) => state === "ended")).toBe(true);
    }
  });

  test("a crash while gates look is met like any other: they are asked again", () => {
    for (const trigger of ["on_tool_call", "after_step"] as const) {
      const plan = planOf(STEPS + GATES + CHECKS);
      const world = newWorld();
      let isFirst = true;
      const isCrash = (effect: RunEffect): boolean =>
        effect.kind === "check_gates" && effect.trigger === trigger && isFirst && !(isFirst = false);
      live(world, { plan, answers: { isCrash } });
      const { run } = live(world, { plan });
      expect(run, trigger).toMatchObject({ status: "done", isVerified: true, attempts: 1 });
    }
  });
});
