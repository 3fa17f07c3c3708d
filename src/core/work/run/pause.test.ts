import { describe, expect, test } from "vitest";
import type { RunRecord } from "#model";
import type { RunEffect } from "./facts.ts";
import { advanceRun } from "./machine.ts";
import {
  CHECKS,
  failure,
  instant,
  kindsOf,
  live,
  newWorld,
  planOf,
  TWO_STEPS,
  type Answers,
  type World,
} from "./world.fixture.ts";

const WRITES = "files: { write: [/home/me/out] }\n";
/** Asks for a pause when the first effect of a kind is performed. */
const pauseAt = (kind: RunEffect["kind"]): Pick<Answers, "isPause"> => {
  let isFirst = true;
  return { isPause: (effect) => effect.kind === kind && isFirst && !(isFirst = false) };
};
const lived = (lines: string, answers: Answers): { world: World; run: RunRecord } => {
  const world = newWorld();
  const { run } = live(world, { plan: planOf(lines), answers });
  return { world, run };
};

describe("pausing", () => {
  test("the step that runs ends first, then it rests with its workspace, and nothing of it runs", () => {
    const { world, run } = lived(TWO_STEPS + CHECKS, pauseAt("run_step"));
    expect(run).toMatchObject({ status: "paused", isPausing: false, attempts: 1, endedAt: null });
    expect(world.kept).toMatchObject({ run: { status: "paused" }, ledger: [{ state: "ended", stepName: "first" }] });
    expect(kindsOf(world).at(-1)).toBe("record");
    expect(kindsOf(world)).not.toContain("close_space");
    expect(world.events.map(({ kind }) => kind)).toEqual(["run_started", "run_paused"]);
  });

  test("that it was asked for is kept at once, before the step has ended", () => {
    const { world } = lived(TWO_STEPS, { ...pauseAt("run_step"), isCrash: ({ kind }) => kind === "close_space" });
    const asked = world.effects.find((effect) => effect.kind === "record" && effect.run.isPausing);
    expect(asked).toMatchObject({ run: { status: "running" }, entries: [] });
  });

  test("it goes on where it was held, in the same workspace, and its approval is checked again", () => {
    for (const [kind, steps] of [
      ["check_approval", 2],
      ["open_space", 2],
      ["run_step", 2],
      ["run_checks", 2],
    ] as const) {
      const { world, run } = lived(TWO_STEPS + CHECKS, { ...pauseAt(kind), pauseMs: 1 });
      expect(run, kind).toMatchObject({ status: "done", isVerified: true, isPausing: false, attempts: 1 });
      const count = (wanted: string): number => kindsOf(world).filter((one) => one === wanted).length;
      expect(count("run_step"), kind).toBe(steps);
      expect(count("open_space"), kind).toBe(1);
      expect(count("check_approval"), kind).toBe(kind === "run_checks" ? 1 : 2);
      const told = world.events.map((event) => event.kind).filter((one) => one !== "run_started");
      expect(told, kind).toEqual(kind === "run_checks" ? ["run_ended"] : ["run_paused", "run_resumed", "run_ended"]);
    }
  });

  test("a pause during the last step holds the checks back until it goes on", () => {
    const oneStep = "steps:\n  - { name: only, run: make }\n";
    const held = lived(oneStep + CHECKS, pauseAt("run_step"));
    expect(held.run).toMatchObject({ status: "paused", endedAt: null });
    expect(kindsOf(held.world)).not.toContain("run_checks");
    const resumed = lived(oneStep + CHECKS, { ...pauseAt("run_step"), pauseMs: 1 });
    expect(resumed.run).toMatchObject({ status: "done", isVerified: true });
    expect(kindsOf(resumed.world).filter((kind) => kind === "run_checks")).toHaveLength(1);
  });

  test("an approval that no longer holds blocks it when it should go on", () => {
    const refusals = [null, "approval_key_revoked"];
    const { world, run } = lived(TWO_STEPS, {
      ...pauseAt("run_step"),
      pauseMs: 1,
      approval: () => refusals.shift() ?? null,
    });
    expect(run).toMatchObject({ status: "blocked", lastError: "The approval does not hold: its key was revoked" });
    expect(kindsOf(world).filter((kind) => kind === "run_step")).toHaveLength(1);
    expect(kindsOf(world).at(-1)).toBe("close_space");
  });

  test("between two attempts it rests as well, and the next attempt has a workspace of its own", () => {
    let steps = 0;
    const { world, run } = lived(TWO_STEPS, {
      ...pauseAt("run_step"),
      pauseMs: 1,
      step: () => failure((steps += 1) === 1 ? 1 : 0),
    });
    expect(run).toMatchObject({ status: "done", attempts: 2 });
    expect(kindsOf(world).filter((kind) => kind === "open_space")).toHaveLength(2);
  });

  test("[BUD-03] no time passes for the budget while it is paused", () => {
    const { run } = lived(`budget: { max_wall_time_seconds: 30 }\n${TWO_STEPS}`, {
      ...pauseAt("run_step"),
      pauseMs: 86_400_000,
    });
    expect(run.status).toBe("done");
    expect(run.budgetUsed.wallTimeSeconds).toBeLessThan(1);
    // What was used before it counts together with what is used after it.
    const slow = lived(TWO_STEPS, { ...pauseAt("run_step"), pauseMs: 86_400_000, ms: 2_000 }).run;
    const through = lived(TWO_STEPS, { ms: 2_000 }).run;
    expect(slow.budgetUsed.wallTimeSeconds).toBeGreaterThanOrEqual(through.budgetUsed.wallTimeSeconds);
  });

  test("a pause that is taken back before it came never comes", () => {
    const plan = planOf(TWO_STEPS);
    const world = newWorld();
    let state = live(world, { plan, answers: { isCrash: ({ kind }) => kind === "run_step" } });
    state = advanceRun(state, { kind: "pause", at: instant(50) }).state;
    expect(state.run.isPausing).toBe(true);
    const taken = advanceRun(state, { kind: "resume", at: instant(51) });
    expect(taken.state.run.isPausing).toBe(false);
    expect(taken.effects).toMatchObject([{ kind: "record", run: { isPausing: false, status: "running" } }]);
  });

  test("what is paused is stopped at once, and its workspace is closed", () => {
    const world = newWorld();
    const state = live(world, { plan: planOf(TWO_STEPS), answers: pauseAt("run_step") });
    const { effects } = advanceRun(state, { kind: "cancel", at: instant(99) });
    expect(effects).toMatchObject([{ kind: "finish", run: { status: "cancelled" } }, { kind: "close_space" }]);
    expect(advanceRun(state, { kind: "pause", at: instant(99) })).toEqual({ state, effects: [] });
  });
});

describe("a pause and a restart", () => {
  test("what was paused stays paused, and what was to be paused is paused before anything runs", () => {
    const isResting = (effect: RunEffect): boolean => effect.kind === "record" && effect.run.status === "paused";
    for (const [isCrash, kept] of [
      [() => false, { status: "paused", isPausing: false }],
      [isResting, { status: "running", isPausing: true }],
    ] as const) {
      const world = newWorld();
      const plan = planOf(TWO_STEPS);
      live(world, { plan, answers: { ...pauseAt("run_step"), isCrash } });
      expect(world.kept.run).toMatchObject(kept);
      const before = world.effects.length;
      const again = live(world, { plan });
      expect(again.phase).toBe("paused");
      expect(world.kept.run).toMatchObject({ status: "paused", isPausing: false });
      const kinds = world.effects.slice(before).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind !== "record")).toEqual([]);
    }
  });

  test("when it goes on, the attempt is repeated as long as it stays inside; otherwise it is in doubt", () => {
    for (const [lines, status] of [
      [TWO_STEPS, "done"],
      [WRITES + TWO_STEPS, "in_doubt"],
    ] as const) {
      const world = newWorld();
      const plan = planOf(lines);
      live(world, { plan, answers: pauseAt("run_step") });
      const { run } = live(world, { plan, answers: { pauseMs: 1 } });
      expect(run).toMatchObject({ status, attempts: 1 });
      expect(world.kept.ledger).toHaveLength(status === "done" ? 3 : 1);
    }
  });

  test("stopping what was left in the middle of a step says what is known of that step", () => {
    for (const [lines, status, state] of [
      [TWO_STEPS, "cancelled", "ended"],
      [WRITES + TWO_STEPS, "in_doubt", "in_doubt"],
    ] as const) {
      const world = newWorld();
      const plan = planOf(lines);
      live(world, { plan, answers: { isCrash: ({ kind }) => kind === "run_step" } });
      const left = live(world, { plan, answers: { isCrash: () => true } });
      const { effects } = advanceRun(
        { ...left, phase: "new", found: world.kept.ledger },
        { kind: "cancel", at: instant(99) },
      );
      expect(effects).toMatchObject([{ kind: "finish", run: { status }, entries: [{ state }] }]);
    }
  });
});
