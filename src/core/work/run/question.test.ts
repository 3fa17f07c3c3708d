import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { RunQuestion } from "#model";
import type { GatesHeld, RunEffect, RunPlan } from "./facts.ts";
import { advanceRun } from "./machine.ts";
import {
  callsOf,
  CHECKS,
  failure,
  instant,
  kindsOf,
  live,
  newWorld,
  PASSED,
  planOf,
  success,
  type Answers,
  type World,
} from "./world.fixture.ts";

const GATES = "gates:\n  - { name: cap, on: on_tool_call, type: approval_always }\n";
const STEPS = "steps:\n  - { name: first, run: make one }\n  - { name: pay, run: pay 120 }\n";
const PLAN = planOf(STEPS + GATES + CHECKS);
const OUTSIDE = planOf(`files: { write: [/srv/pages] }\n${STEPS}${GATES}${CHECKS}`);

type Moment = Extract<RunEffect, { kind: "check_gates" }>;
const questionAt = (stepIndex: number, hash: string, place = "a"): RunQuestion => ({
  requestId: `request-${place}-${stepIndex}`,
  operationId: `run-1.${place}${stepIndex}`,
  stepIndex,
  gate: "cap",
  contentHash: sha256Hex(hash),
});
/** Asks about the second step: the same question for the same attempt. */
const asksSecond =
  (argv = ["pay", "120"], hash = argv.join(" ")) =>
  (moment: Moment): typeof PASSED | GatesHeld =>
    moment.trigger === "on_tool_call" && moment.stepIndex === 1
      ? { pass: false, error: "Gate cap asks", ask: { question: questionAt(1, hash), toolArgs: { argv } } }
      : PASSED;
const lived = (answers: Answers, plan: RunPlan = PLAN) => {
  const world = newWorld();
  const state = live(world, { plan, answers });
  return { world, state, run: state.run };
};
const ranOf = (world: World) => callsOf(world).map(({ argv }) => argv.join(" "));

describe("a gate that asks before a step", () => {
  test("the run rests at the step with its question, and nothing of the step is kept or runs before a decision", () => {
    const { world, run, state } = lived({ gates: asksSecond() });
    expect(state.phase).toBe("waiting");
    expect(run).toMatchObject({ status: "waiting", question: questionAt(1, "pay 120"), endedAt: null });
    expect(world.kept.run).toEqual(run);
    expect(ranOf(world)).toEqual(["make one"]);
    expect(world.kept.ledger.map(({ stepName }) => stepName)).toEqual(["first"]);
    expect(kindsOf(world).at(-1)).toBe("ask");
  });

  test("approved, exactly that call begins on its own approval, in the same workspace, and the run goes on", () => {
    const { world, run } = lived({ gates: asksSecond(["pay", "100"]), verdict: () => "approved" });
    expect(run).toMatchObject({ status: "done", isVerified: true, attempts: 1 });
    expect(run).not.toHaveProperty("question");
    expect(ranOf(world)).toEqual(["make one", "pay 100"]);
    const kinds = kindsOf(world);
    expect(kinds.filter((kind) => kind === "open_space")).toHaveLength(1);
    const asked = kinds.indexOf("ask");
    expect(kinds.slice(asked, asked + 6)).toEqual([
      "ask",
      "record",
      "check_approval",
      "check_decision",
      "record",
      "run_step",
    ]);
    const decision = { requestId: "request-a-1", operationId: "run-1.a1", tokenId: "token of request-a-1" };
    expect(world.kept.ledger.map((entry) => entry.decision)).toEqual([undefined, decision]);
  });

  test("there are two answers and their absence: blocked by the owner or not decided, the step does not run and the run ends with the gate's name", () => {
    for (const [verdict, words] of [
      ["declined", "Step pay was not run: gate cap asked you, and you blocked it"],
      ["expired", "Step pay was not run: gate cap asked you, and it was not decided in time"],
      ["unasked", "Step pay was not run: gate cap asks for a decision, and too many wait already"],
    ] as const) {
      const { world, run } = lived({ gates: asksSecond(), verdict: () => verdict });
      expect(run).toMatchObject({ status: "blocked", lastError: words });
      expect(run).not.toHaveProperty("question");
      expect(ranOf(world)).toEqual(["make one"]);
      expect(kindsOf(world).slice(-2)).toEqual(["finish", "close_space"]);
    }
  });

  test("an approval that does not hold when the step is to begin begins nothing", () => {
    const { world, run } = lived({
      gates: asksSecond(),
      verdict: () => "approved",
      decision: () => "approval_key_revoked",
    });
    expect(run).toMatchObject({ status: "blocked", lastError: expect.stringContaining("its key was revoked") });
    expect(ranOf(world)).toEqual(["make one"]);
    expect(world.events).toContainEqual({ kind: "execution_blocked_no_approval", reason: "approval_key_revoked" });
  });

  test("an answer to another question changes nothing, and arguments that are no call are never asked about", () => {
    const { state } = lived({ gates: asksSecond() });
    const other = advanceRun(state, { kind: "decided", at: instant(50), requestId: "another", verdict: "approved" });
    expect(other).toEqual({ state, effects: [] });
    const { run, world } = lived({ gates: asksSecond(["pay"], "x"), verdict: () => "approved" }, planOf(STEPS + GATES));
    expect(run.status).toBe("done");
    expect(ranOf(world)).toEqual(["make one", "pay"]);
    const wrong = lived({
      gates: (moment) => {
        const held = asksSecond()(moment);
        return held.pass || held.ask === undefined
          ? held
          : { ...held, ask: { ...held.ask, toolArgs: { argv: "no list" } } };
      },
    });
    expect(wrong.run).toMatchObject({ status: "blocked" });
    expect(kindsOf(wrong.world)).not.toContain("ask");
  });

  test("no time of the budget passes while it waits", () => {
    const { run } = lived({ gates: asksSecond(), verdict: () => "approved", pauseMs: 3_600_000 });
    expect(run.status).toBe("done");
    expect(run.budgetUsed.wallTimeSeconds).toBeLessThan(60);
  });

  test("each attempt asks anew: one approval lets one call begin", () => {
    let asked = 0;
    let failures = 0;
    const { run, world } = lived({
      gates: (moment) => {
        const held = asksSecond()(moment);
        if (held.pass || held.ask === undefined) return held;
        asked += 1;
        return { ...held, ask: { ...held.ask, question: questionAt(1, `attempt ${asked}`, `t${asked}`) } };
      },
      step: ({ stepIndex }) => (stepIndex === 1 && (failures += 1) === 1 ? failure() : success()),
      verdict: () => "approved",
    });
    expect(run).toMatchObject({ status: "done", attempts: 2 });
    expect(asked).toBe(2);
    const tokens = world.kept.ledger.flatMap(({ decision }) => decision?.tokenId ?? []);
    expect(tokens).toEqual(["token of request-t1-1", "token of request-t2-1"]);
  });
});

describe("somebody else's word while it waits", () => {
  test("stopped, it ends at once and asks no longer", () => {
    const { state } = lived({ gates: asksSecond() });
    const { effects, state: over } = advanceRun(state, { kind: "cancel", at: instant(100) });
    expect(over.run).toMatchObject({ status: "cancelled", lastError: "Stopped by you" });
    expect(over.run).not.toHaveProperty("question");
    expect(effects.map(({ kind }) => kind)).toEqual(["finish", "close_space"]);
  });

  test("paused and approved, it is held, and goes on from there with what was approved", () => {
    const { state } = lived({ gates: asksSecond() });
    const paused = advanceRun(state, { kind: "pause", at: instant(100) });
    expect(paused.effects).toMatchObject([{ kind: "record", run: { status: "waiting", isPausing: true } }]);
    const requestId = "request-a-1";
    const held = advanceRun(paused.state, { kind: "decided", at: instant(110), requestId, verdict: "approved" });
    expect(held.state.run).toMatchObject({ status: "paused", question: { requestId } });
    const going = advanceRun(held.state, { kind: "resume", at: instant(120) });
    expect(going.effects.map(({ kind }) => kind)).toEqual(["record", "check_approval"]);
    const gating = advanceRun(going.state, { kind: "approval_checked", at: instant(121), refusal: null });
    expect(gating.effects).toMatchObject([{ kind: "check_gates", stepIndex: 1 }]);
    const outcome = asksSecond()(gating.effects[0] as Moment);
    const sure = advanceRun(gating.state, { kind: "gates_checked", at: instant(122), outcome });
    expect(sure.effects).toMatchObject([{ kind: "check_decision", question: { requestId } }]);
  });
});

describe("after an interruption", () => {
  const restart = (world: ReturnType<typeof newWorld>, answers: Answers, plan = PLAN) => live(world, { plan, answers });

  test("it waits on for the same question, is not asked twice, and the approved call begins once", () => {
    const { world } = lived({ gates: asksSecond() });
    const asks = () => kindsOf(world).filter((kind) => kind === "ask").length;
    expect(restart(world, { gates: asksSecond() })).toMatchObject({ phase: "waiting", run: { status: "waiting" } });
    expect(asks()).toBe(1);
    const { run } = restart(world, { gates: asksSecond(), verdict: () => "approved" });
    expect(run).toMatchObject({ status: "done", attempts: 1 });
    expect(asks()).toBe(1);
    expect(ranOf(world)).toEqual(["make one", "make one", "pay 120"]);
  });

  test("a call that differs in anything from what was approved is asked about anew", () => {
    const { world } = lived({ gates: asksSecond() });
    const state = restart(world, {
      gates: asksSecond(["pay", "130"]),
      verdict: ({ contentHash }) => (contentHash === sha256Hex("pay 120") ? "approved" : null),
    });
    expect(state).toMatchObject({ phase: "waiting", run: { question: { contentHash: sha256Hex("pay 130") } } });
    expect(ranOf(world)).toEqual(["make one", "make one"]);
  });

  test("where steps before it may have changed a place outside there is nothing left to decide: it is in doubt", () => {
    const { world } = lived({ gates: asksSecond() }, OUTSIDE);
    const { run } = restart(world, { gates: asksSecond(), verdict: () => "approved" }, OUTSIDE);
    expect(run.status).toBe("in_doubt");
    expect(run).not.toHaveProperty("question");
    expect(ranOf(world)).toEqual(["make one"]);
  });

  test("cut at every effect, an approved call begins at most once for each time it was asked", () => {
    for (let cut = 0; ; cut += 1) {
      const world = newWorld();
      let effects = 0;
      const answers: Answers = {
        gates: (moment) => {
          const held = asksSecond()(moment);
          const count = kindsOf(world).filter((kind) => kind === "ask").length;
          const same = world.kept.run?.question !== undefined;
          return held.pass || held.ask === undefined || same
            ? held
            : { ...held, ask: { ...held.ask, question: questionAt(1, "pay 120", `n${count}`) } };
        },
        verdict: () => "approved",
      };
      live(world, { plan: PLAN, answers: { ...answers, isCrash: () => (effects += 1) === cut + 1 } });
      const { run } = live(world, { plan: PLAN, answers });
      expect(run.status).toBe("done");
      const begun = world.kept.ledger.filter(({ stepIndex }) => stepIndex === 1);
      const tokens = begun.map(({ decision }) => decision?.tokenId);
      expect(new Set(tokens).size).toBe(tokens.length);
      expect(tokens).not.toContain(undefined);
      if (effects <= cut) break;
    }
  });
});
