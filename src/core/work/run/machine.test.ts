import { describe, expect, test } from "vitest";
import { RETURN_CHARS, type Step } from "#model";
import type { RunEffect } from "./facts.ts";
import { advanceRun, createRun } from "./machine.ts";
import {
  artifact,
  checked,
  CHECKS,
  failure,
  instant,
  kindsOf,
  live,
  newWorld,
  planOf,
  success,
  TWO_STEPS,
  type Answers,
} from "./world.fixture.ts";

const lived = (lines: string, answers: Answers = {}) => {
  const world = newWorld();
  const state = live(world, { plan: planOf(lines), answers });
  return { world, run: state.run, state };
};

describe("a run that goes well", () => {
  test("[WORK-11] [WORK-28] the approval is checked, then each step runs, then the checks; it is done and says so", () => {
    const { world, run } = lived(TWO_STEPS + CHECKS);
    expect(kindsOf(world)).toEqual([
      "check_approval",
      "record",
      "open_space",
      "record",
      "run_step",
      "record",
      "run_step",
      "record",
      "run_checks",
      "finish",
      "close_space",
    ]);
    expect(run).toMatchObject({ status: "done", isVerified: true, attempts: 1, lastError: null });
    expect(run.results.map(({ name, passed }) => [name, passed])).toEqual([
      ["right", true],
      ["there", true],
    ]);
    expect(world.events).toEqual([{ kind: "run_started" }, { kind: "run_ended" }]);
    expect(world.kept.run).toEqual(run);
  });

  test("[WORK-31] without checks it is done as unverified, with what the ledger has", () => {
    const { world, run } = lived(TWO_STEPS);
    expect(run).toMatchObject({ status: "done", isVerified: false, results: [] });
    expect(Object.keys(run.artifacts)).toEqual(["one", "both"]);
    expect(kindsOf(world)).not.toContain("run_checks");
  });

  test("[INV-03] checks that come out the same whatever is done verify nothing, however many pass", () => {
    const empty =
      '\nverify:\n  - { name: right, run: "true", expect: { exit_code: 0 } }\n  - { name: there, run: echo ok, expect: { contains: ok } }\n';
    const { run } = lived(TWO_STEPS + empty);
    expect(run).toMatchObject({ status: "done", isVerified: false, attempts: 1 });
    expect(run.results.map(({ passed }) => passed)).toEqual([true, true]);
    const one = `${empty}  - { name: really, run: cat one.txt, expect: { equals: "1" } }\n`;
    expect(lived(TWO_STEPS + one).run).toMatchObject({ status: "done", isVerified: true });
  });

  test("[WORK-31] without checks a failed run is tried again like one whose check failed", () => {
    let tries = 0;
    const { run } = lived(TWO_STEPS, { step: () => (++tries === 2 ? failure() : success()) });
    expect(run).toMatchObject({ status: "done", isVerified: false, attempts: 2, lastError: null });
  });

  test("[EXEC-12] each step is in the ledger before it runs, and again when it ended, in the order of the plan", () => {
    const { world } = lived(TWO_STEPS, { step: () => success({ stdout: "x".repeat(RETURN_CHARS + 1) }) });
    const writes = world.effects.flatMap((effect) =>
      effect.kind === "record" || effect.kind === "finish" ? effect.entries : [],
    );
    expect(writes.map(({ stepIndex, state }) => `${stepIndex} ${state}`)).toEqual([
      "0 started",
      "0 ended",
      "1 started",
      "1 ended",
    ]);
    const started = world.effects.findIndex((effect) => effect.kind === "record" && effect.entries.length > 0);
    expect(world.effects[started + 1]?.kind).toBe("run_step");
    expect(world.kept.ledger[0]).toEqual({
      executionId: "run-1.1",
      runId: "run-1",
      attempt: 1,
      stepIndex: 0,
      stepName: "first",
      tool: "shell_exec",
      state: "ended",
      success: true,
      returnValue: "x".repeat(RETURN_CHARS),
      artifacts: { one: artifact("one"), both: artifact("both") },
      error: null,
      taint: "external",
      startedAt: instant(30),
      endedAt: instant(50),
      durationMs: 5,
      exit: { kind: "exit", code: 0 },
      tokensUsed: 0,
      costUsd: 0,
    });
  });

  test("[EXEC-13] a later artifact replaces an earlier one of its name, and a failed step leaves none", () => {
    const { run } = lived(TWO_STEPS, {
      step: ({ stepIndex }) => success({ artifacts: { one: artifact("1"), both: artifact(`both ${stepIndex}`) } }),
    });
    expect(run.artifacts).toEqual({ one: artifact("1"), both: artifact("both 1") });
    const failed = lived(`budget: { max_attempts: 1 }\n${TWO_STEPS}`, {
      step: ({ stepIndex }) =>
        stepIndex === 0 ? success() : { ...failure(), artifacts: { both: artifact("half of it") } },
    });
    expect(failed.run.artifacts).toEqual({ one: artifact("one"), both: artifact("both") });
  });
});

describe("an approval that lapses while the run goes on", () => {
  test("[WORK-13] the step that was not kept has not begun and is not counted; the one before it is kept to its end", () => {
    const plan = planOf(TWO_STEPS + CHECKS);
    const world = newWorld();
    // The process that drives it is refused the second step by the store.
    const isSecond = (effect: RunEffect): boolean =>
      effect.kind === "record" &&
      effect.entries.some(({ stepName, state }) => stepName === "second" && state === "started");
    const state = live(world, { plan, answers: { isCrash: isSecond } });
    const [first] = world.kept.ledger;
    const ended = state.pass[0];
    const second = state.pass[1];
    if (first === undefined || ended === undefined || second === undefined) throw new Error("two steps");
    const { run } = state;
    const unbegun = { ...run, budgetUsed: { ...run.budgetUsed, executorRuns: 1 } };
    const unkept = { run, unbegun, entries: [ended, second] };
    const over = advanceRun(state, {
      kind: "approval_lapsed",
      reason: "approval_key_revoked",
      unkept,
      at: instant(99),
    });
    expect(over.state.run).toMatchObject({
      status: "blocked",
      lastError: "Stopped, because its approval no longer holds: its key was revoked",
      budgetUsed: { executorRuns: 1, attempts: 1 },
    });
    const [last, close, ...more] = over.effects;
    expect(last).toMatchObject({
      kind: "finish",
      entries: [{ stepName: "first", state: "ended" }],
      events: [{ kind: "execution_blocked_no_approval", reason: "approval_key_revoked" }, { kind: "run_ended" }],
    });
    expect([close, ...more]).toEqual([{ kind: "close_space" }]);
  });
});

describe("entry", () => {
  test("[WORK-13] an approval that does not hold blocks it: nothing is opened, run or checked", () => {
    const { world, run } = lived(TWO_STEPS + CHECKS, { approval: () => "token_expired" });
    expect(kindsOf(world)).toEqual(["check_approval", "finish"]);
    expect(run).toMatchObject({
      status: "blocked",
      attempts: 0,
      lastError: "The approval does not hold: token expired",
    });
    expect(world.events).toEqual([
      { kind: "execution_blocked_no_approval", reason: "token_expired" },
      { kind: "run_ended" },
    ]);
  });

  test("[WORK-21] a step that is no call, or no step at all, blocks it before the approval is even looked at", () => {
    const plan = planOf(TWO_STEPS);
    const changed = (rest: Partial<Step>): readonly Step[] => plan.steps.map((step) => ({ ...step, ...rest }));
    for (const steps of [[], changed({ run: "a | b" }), changed({ run: null, tool: "file_read" })]) {
      const world = newWorld();
      expect(live(world, { plan: { ...plan, steps } }).run.status).toBe("blocked");
      expect(kindsOf(world)).toEqual(["finish"]);
    }
  });

  test("a machine that cannot isolate blocks it with the reason, and nothing is tried a second time", () => {
    const { world, run } = lived(TWO_STEPS, { space: () => "bubblewrap is not installed" });
    expect(run).toMatchObject({ status: "blocked", lastError: "bubblewrap is not installed", attempts: 1 });
    expect(kindsOf(world)).toEqual(["check_approval", "record", "open_space", "finish"]);
  });
});

describe("a run that does not go well", () => {
  test("[WORK-29] [WORK-17] a failed check begins another attempt from the first step, in a fresh space, counted first", () => {
    let tries = 0;
    const { world, run } = lived(TWO_STEPS + CHECKS, {
      checks: () => [checked("right", ++tries > 1), checked("there")],
    });
    expect(run).toMatchObject({ status: "done", isVerified: true, attempts: 2, lastError: null });
    const second = world.effects.findIndex((effect) => effect.kind === "record" && effect.run.attempts === 2);
    expect(kindsOf(world).slice(second, second + 5)).toEqual([
      "record",
      "close_space",
      "open_space",
      "record",
      "run_step",
    ]);
    expect(world.effects[second]).toMatchObject({
      run: { lastError: "Check right failed: The output is another text", status: "running" },
    });
    expect(world.kept.ledger.map(({ attempt, stepIndex }) => [attempt, stepIndex])).toEqual([
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
    ]);
  });

  test("[WORK-32] a failed step ends its attempt; when none is left the run is stuck with the last failure", () => {
    const { world, run } = lived(`budget: { max_attempts: 3 }\n${TWO_STEPS}${CHECKS}`, { step: () => failure(7) });
    expect(run).toMatchObject({ status: "stuck", attempts: 3, isVerified: false });
    expect(run.lastError).toBe("Step first failed: Ended with code 7: no luck");
    expect(kindsOf(world).filter((kind) => kind === "run_step")).toHaveLength(3);
    expect(kindsOf(world)).not.toContain("run_checks");
  });

  test("a step fails by a signal, a limit, a time, a missing artifact, or by not having been started", () => {
    for (const [outcome, error] of [
      [success({ end: { kind: "signal", signal: "SIGSEGV" } }), "Ended by SIGSEGV"],
      [success({ end: { kind: "limit", which: "memory" } }), "Reached the limit of memory"],
      [success({ end: { kind: "timeout" } }), "Timeout after 300s"],
      [success({ artifacts: { one: null } }), "Left no file for one, both"],
      [{ end: null, error: "the workspace is closed" }, "the workspace is closed"],
    ] as const) {
      const { run, world } = lived(`budget: { max_attempts: 1 }\n${TWO_STEPS}`, { step: () => outcome });
      expect(run).toMatchObject({ status: "stuck", lastError: `Step first failed: ${error}` });
      expect(world.kept.ledger).toMatchObject([{ state: "ended", success: false, error }]);
    }
  });

  test("[INV-03] results of other checks, or of fewer, prove nothing", () => {
    for (const results of [
      [],
      [checked("right")],
      [checked("there"), checked("right")],
      [checked("right"), checked("right")],
    ]) {
      const { run } = lived(`budget: { max_attempts: 1 }\n${TWO_STEPS}${CHECKS}`, { checks: () => results });
      expect(run).toMatchObject({ status: "stuck", isVerified: false, lastError: "Not every check was run" });
    }
  });
});

describe("budget", () => {
  test("[BUD-03] time that is used up starts no further step, and a step gets no more than is left", () => {
    const lines = `budget: { max_wall_time_seconds: 10 }\n${TWO_STEPS}`;
    const { world, run } = lived(lines, { ms: 3000 });
    expect(run).toMatchObject({ status: "stuck", lastError: "The budget of time is used up" });
    const steps = world.effects.filter((effect) => effect.kind === "run_step");
    expect(steps.map(({ envelope }) => envelope.timeoutSeconds)).toEqual([1]);
    expect(run.budgetUsed).toMatchObject({ attempts: 1, executorRuns: 1, wallTimeSeconds: 15 });
  });

  test("[BUD-02] attempts forbid only the start of another one: the last may do all its steps and checks", () => {
    const { run } = lived(`budget: { max_attempts: 1 }\n${TWO_STEPS}${CHECKS}`);
    expect(run).toMatchObject({ status: "done", isVerified: true, attempts: 1 });
    expect(run.budgetUsed).toMatchObject({ attempts: 1, executorRuns: 2, tokens: 0, costUsd: 0, plannerCalls: 0 });
  });

  test("[BUD-03] a clock that was set back gives no time back, and none is counted twice", () => {
    const plan = planOf(`budget: { max_wall_time_seconds: 10 }\n${TWO_STEPS}`);
    let state = createRun({
      plan,
      systemGates: [],
      runId: "run-1",
      tokenId: "t",
      planHash: artifact("p").sha256,
      at: instant(0),
    });
    state = advanceRun(state, { kind: "begin", at: instant(4000) }).state;
    state = advanceRun(state, { kind: "approval_checked", refusal: null, at: instant(-60_000) }).state;
    expect(state.run.budgetUsed.wallTimeSeconds).toBe(4);
    state = advanceRun(state, { kind: "space_opened", refusal: null, at: instant(5000) }).state;
    expect(state.run.budgetUsed.wallTimeSeconds).toBe(5);
  });
});

describe("cancelling", () => {
  test("it ends what runs, waits for its end, and nothing begins after it", () => {
    for (const [kind, running] of [
      ["check_approval", false],
      ["open_space", false],
      ["run_step", true],
      ["run_checks", true],
    ] as const) {
      let isFirst = true;
      const { world, run } = lived(TWO_STEPS + CHECKS, {
        isCancel: (effect) => effect.kind === kind && isFirst && !(isFirst = false),
      });
      expect(run, kind).toMatchObject({ status: "cancelled", isVerified: false, lastError: "Stopped by you" });
      const after = kindsOf(world).slice(kindsOf(world).indexOf(kind) + 1);
      const last = kind === "check_approval" ? ["finish"] : ["finish", "close_space"];
      expect(after, kind).toEqual(running ? ["stop_running", ...last] : last);
    }
  });

  test("a run that was cancelled before it began ends at once, and one that is over stays as it ended", () => {
    const plan = planOf(TWO_STEPS);
    const state = createRun({
      plan,
      systemGates: [],
      runId: "run-1",
      tokenId: "t",
      planHash: artifact("p").sha256,
      at: instant(0),
    });
    const { state: over, effects } = advanceRun(state, { kind: "cancel", at: instant(1) });
    expect(effects.map(({ kind }) => kind)).toEqual(["finish"]);
    expect(advanceRun(over, { kind: "begin", at: instant(2) })).toEqual({ state: over, effects: [] });
    expect(advanceRun(over, { kind: "cancel", at: instant(2) })).toEqual({ state: over, effects: [] });
  });
});
