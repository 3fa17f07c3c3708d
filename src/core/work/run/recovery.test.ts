import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import type { RunEffect } from "./facts.ts";
import {
  checked,
  CHECKS,
  failure,
  kindsOf,
  live,
  newWorld,
  planOf,
  success,
  TWO_STEPS,
  type Answers,
  type World,
} from "./world.fixture.ts";

const WRITES = "files: { write: [/home/me/out] }\n";

/** Ends the process right before the first effect that fits, and gives what is left to a new one. */
function crashed(lines: string, { at, first = {}, next = {} }: Crash): World {
  const world = newWorld();
  const plan = planOf(lines);
  live(world, { plan, answers: { ...first, isCrash: at } });
  expect(world.kept.run?.endedAt).toBeNull();
  world.effects.length = 0;
  live(world, { plan, answers: next });
  return world;
}
type Crash = { readonly at: (effect: RunEffect) => boolean; readonly first?: Answers; readonly next?: Answers };

/** The effect that would keep this step as ended: the step has run, and nobody knows. */
const endOf = (stepIndex: number) => (effect: RunEffect) =>
  (effect.kind === "record" || effect.kind === "finish") &&
  effect.entries.some((entry) => entry.stepIndex === stepIndex && entry.state === "ended");
const before = (kind: RunEffect["kind"]) => (effect: RunEffect) => effect.kind === kind;

describe("a run that was interrupted", () => {
  test("a step that may have reached a host is in doubt, one before it is not", () => {
    const online = TWO_STEPS.replace("steps:", "hosts: [a.example]\nsteps:").replace(
      "run: make two",
      "run: b, network: true",
    );
    expect(crashed(online, { at: endOf(1) }).kept.run).toMatchObject({ status: "in_doubt", attempts: 1 });
    expect(crashed(online, { at: endOf(0) }).kept.run).toMatchObject({ status: "done", attempts: 1 });
  });

  test("inside its workspace a step that was begun is repeated with its attempt, after the approval was checked again", () => {
    const world = crashed(TWO_STEPS + CHECKS, { at: endOf(1) });
    expect(kindsOf(world).slice(0, 4)).toEqual(["record", "check_approval", "open_space", "record"]);
    expect(world.kept.run).toMatchObject({ status: "done", isVerified: true, attempts: 1 });
    expect(
      world.kept.ledger.map(({ executionId, stepIndex, success: isSuccess }) => [executionId, stepIndex, isSuccess]),
    ).toEqual([
      ["run-1.1", 0, true],
      ["run-1.2", 1, false],
      ["run-1.3", 0, true],
      ["run-1.4", 1, true],
    ]);
    expect(world.kept.ledger[1]?.error).toBe("Interrupted: Silas ended while it ran");
  });

  test("a step that may have changed something outside is in doubt: it is shown and never run again", () => {
    const world = crashed(WRITES + TWO_STEPS, { at: endOf(0) });
    expect(kindsOf(world)).toEqual(["finish"]);
    expect(world.kept.run).toMatchObject({
      status: "in_doubt",
      isVerified: false,
      isPausing: false,
      lastError: "Step first was begun and its end was never seen",
    });
    expect(world.kept.ledger).toMatchObject([{ state: "in_doubt", success: null, endedAt: null }]);
    expect(world.events.slice(-2)).toEqual([
      { kind: "step_in_doubt", attempt: 1, stepIndex: 0 },
      { kind: "run_ended" },
    ]);
  });

  test("between two steps the first is not done twice outside, and may be repeated inside", () => {
    const failedSecond: Answers = { step: ({ stepIndex }) => (stepIndex === 1 ? failure() : success()) };
    // Kept as ended together with the start of the next one, so the next one is what is open.
    const world = crashed(WRITES + TWO_STEPS, { at: endOf(1), first: failedSecond });
    expect(world.kept.run).toMatchObject({ status: "in_doubt" });
    expect(world.kept.ledger.map(({ state }) => state)).toEqual(["ended", "in_doubt"]);
  });

  test("checks that were interrupted are run again: on what is outside as it is, inside after the steps", () => {
    const outside = crashed(WRITES + TWO_STEPS + CHECKS, { at: before("run_checks") });
    expect(kindsOf(outside)).toEqual(["check_approval", "open_space", "record", "run_checks", "finish", "close_space"]);
    expect(outside.kept.run).toMatchObject({ status: "done", isVerified: true, attempts: 1 });
    const inside = crashed(TWO_STEPS + CHECKS, { at: before("run_checks") });
    expect(kindsOf(inside).filter((kind) => kind === "run_step")).toHaveLength(2);
    expect(inside.kept.run).toMatchObject({ status: "done", isVerified: true, attempts: 1 });
  });

  test("when such checks fail nobody can tell why, and the steps are not done a second time", () => {
    const world = crashed(WRITES + TWO_STEPS + CHECKS, {
      at: before("run_checks"),
      next: { checks: () => [checked("right", false), checked("there")] },
    });
    expect(kindsOf(world)).not.toContain("run_step");
    expect(world.kept.run).toMatchObject({
      status: "in_doubt",
      lastError: "Check right failed: The output is another text",
    });
  });

  test("[WORK-17] an attempt that was counted and not begun is the one that is begun", () => {
    for (const lines of [TWO_STEPS, WRITES + TWO_STEPS]) {
      const world = crashed(lines, { at: before("open_space") });
      expect(world.kept.run).toMatchObject({ status: "done", attempts: 1 });
    }
    const failing: Answers = { step: () => failure() };
    const second = (effect: RunEffect): boolean => effect.kind === "close_space";
    const world = crashed(WRITES + TWO_STEPS, { at: second, first: failing });
    expect(world.kept.run).toMatchObject({ status: "done", attempts: 2 });
  });

  test("an approval that no longer holds after a crash blocks what is left", () => {
    const world = crashed(TWO_STEPS, { at: before("run_step"), next: { approval: () => "token_revoked" } });
    expect(world.kept.run).toMatchObject({ status: "blocked", attempts: 1 });
    expect(kindsOf(world)).toEqual(["record", "check_approval", "finish"]);
  });

  test("a step that takes Silas down with it is not repeated for ever", () => {
    const world = newWorld();
    const plan = planOf(`budget: { max_attempts: 2 }\n${TWO_STEPS}`);
    const isCrash = (effect: RunEffect): boolean =>
      effect.kind === "record" && effect.entries.some(({ error, state }) => state === "ended" && error === null);
    let crashes = 0;
    while (crashes < 50 && live(world, { plan, answers: { isCrash } }).phase !== "over") crashes += 1;
    expect(world.kept.run).toMatchObject({ status: "stuck", attempts: 2 });
    expect(crashes).toBe(2 * LIMITS.stepInterruptions);
  });

  test("time that passed before the crash counts, and time in between does not", () => {
    const world = newWorld();
    const plan = planOf(TWO_STEPS);
    live(world, { plan, answers: { isCrash: endOf(0), ms: 1000 } });
    const used = world.kept.run?.budgetUsed.wallTimeSeconds ?? 0;
    world.now += 3_600_000;
    live(world, { plan, answers: { ms: 1000 } });
    expect(world.kept.run?.status).toBe("done");
    expect(world.kept.run?.budgetUsed.wallTimeSeconds).toBeLessThan(used + 20);
  });

  test("a run that is over stays as it ended", () => {
    const world = newWorld();
    const plan = planOf(TWO_STEPS);
    live(world, { plan });
    world.effects.length = 0;
    const { run } = world.kept;
    live(world, { plan });
    expect(world.effects).toEqual([]);
    expect(world.kept.run).toBe(run);
  });
});
