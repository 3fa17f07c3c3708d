import * as fc from "fast-check";
import { expect, test } from "vitest";
import { depth } from "../../../../test/depth.ts";
import { sha256Hex } from "#base";
import type { RunEffect, RunFact, RunPlan } from "./facts.ts";
import { advanceRun, createRun } from "./machine.ts";
import {
  checked,
  CHECKS,
  failure,
  instant,
  live,
  newWorld,
  PASSED,
  planOf,
  resultOf,
  success,
  TWO_STEPS,
  type Answers,
  type World,
} from "./world.fixture.ts";

const WRITES = "files: { write: [/home/me/out] }\n";
const GATES = `
gates:
  - { name: calls, on: on_tool_call, extract: argv, allowed_values: [make] }
  - { name: output, on: after_step, after_step: 0, extract: amount, allowed_values: [one] }
`;

type Script = {
  readonly plan: RunPlan;
  readonly steps: readonly boolean[];
  readonly checks: readonly number[];
  readonly ms: number;
  /** Effects after which each life of the process ends; the last life has no end. */
  readonly crashes: readonly number[];
  readonly cancelAfter: number | null;
  readonly pauseAfter: number | null;
  /** Gates that hold, by the number of the question; mostly none. */
  readonly heldAt: number | null;
};
const script = fc.record({
  plan: fc
    .record({
      writes: fc.boolean(),
      checks: fc.boolean(),
      gates: fc.boolean(),
      attempts: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ writes, checks, gates, attempts }) =>
      planOf(
        `budget: { max_attempts: ${attempts}, max_wall_time_seconds: 30 }\n${writes ? WRITES : ""}${TWO_STEPS}${checks ? CHECKS : ""}${gates ? GATES : ""}`,
      ),
    ),
  steps: fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
  /** Both passed, one failed, one missing, in another order. */
  checks: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 }),
  ms: fc.constantFrom(1, 100, 2500),
  crashes: fc.array(fc.integer({ min: 0, max: 14 }), { maxLength: 5 }),
  cancelAfter: fc.option(fc.integer({ min: 0, max: 20 }), { freq: 4 }),
  pauseAfter: fc.option(fc.integer({ min: 0, max: 20 }), { freq: 2 }),
  heldAt: fc.option(fc.integer({ min: 0, max: 8 }), { freq: 8 }),
});

const RESULTS = [
  [checked("right"), checked("there")],
  [checked("right"), checked("there", false)],
  [checked("right")],
  [checked("there"), checked("right")],
] as const;

/** Several lives of the process over what the one before kept. */
function played({ plan, steps, checks, ms, crashes, cancelAfter, pauseAfter, heldAt }: Script): {
  world: World;
  lives: readonly RunEffect[][];
} {
  const world = newWorld();
  const lives: RunEffect[][] = [];
  let stepNumber = 0;
  let checkNumber = 0;
  let effectNumber = 0;
  let pauseNumber = 0;
  let gateNumber = 0;
  for (const end of [...crashes, Number.POSITIVE_INFINITY]) {
    const begun = world.effects.length;
    const answers: Answers = {
      ms,
      step: () => (steps[stepNumber++ % steps.length] === true ? success() : failure()),
      checks: () => RESULTS[checks[checkNumber++ % checks.length] ?? 0] ?? [],
      isCrash: () => world.effects.length - begun >= end,
      isCancel: () => effectNumber++ === cancelAfter,
      isPause: () => pauseNumber++ === pauseAfter,
      pauseMs: 60_000,
      gates: () => (gateNumber++ === heldAt ? { pass: false, error: "held" } : PASSED),
    };
    live(world, { plan, answers });
    lives.push(world.effects.slice(begun));
  }
  return { world, lives };
}

const holds = (law: (given: Script) => void): void =>
  fc.assert(fc.property(script, law), { numRuns: depth({ sample: 50, every: 200 }) });

test("[WORK-32] [BUD-07] however steps, checks and crashes fall, it ends, and with no more attempts than were allowed", () => {
  holds((given) => {
    const { world } = played(given);
    const { run, ledger } = world.kept;
    expect(run?.endedAt).not.toBeNull();
    expect(run?.attempts).toBeLessThanOrEqual(given.plan.budget.maxAttempts);
    expect(["done", "stuck", "blocked", "cancelled", "in_doubt"]).toContain(run?.status);
    expect(ledger.every(({ attempt }) => attempt <= given.plan.budget.maxAttempts)).toBe(true);
    expect(ledger.some(({ state }) => state === "started")).toBe(false);
    expect(run?.budgetUsed.executorRuns).toBeLessThanOrEqual(ledger.length);
  });
});

test("[INV-03] it is verified only when exactly its checks were run and every one passed, and that is its end", () => {
  holds((given) => {
    const { run } = played(given).world.kept;
    const names = given.plan.verify.map(({ name }) => name);
    const isProven =
      run?.results.every(({ passed }) => passed) === true &&
      JSON.stringify(run.results.map(({ name }) => name)) === JSON.stringify(names);
    expect(run?.isVerified).toBe(run?.status === "done" && names.length > 0);
    expect(run?.isVerified === false || isProven).toBe(true);
  });
});

test("[WORK-11] in every life of the process the approval is checked before anything is opened, run or looked at", () => {
  holds((given) => {
    const isChecked = played(given).lives.map((effects) => {
      const kinds = effects.map(({ kind }) => kind);
      const acting = kinds.findIndex((kind) => kind === "open_space" || kind === "run_step" || kind === "run_checks");
      const checking = kinds.indexOf("check_approval");
      return acting === -1 || (checking !== -1 && checking < acting);
    });
    expect(isChecked).not.toContain(false);
  });
});

test("[EXEC-12] no step runs that was not kept as started right before, and none is kept twice", () => {
  holds((given) => {
    const { world, lives } = played(given);
    for (const effects of lives) {
      effects.forEach((effect, index) => {
        if (effect.kind !== "run_step") return;
        const before = effects[index - 1];
        const started = before?.kind === "record" ? before.entries.at(-1) : undefined;
        expect(started).toMatchObject({ executionId: effect.executionId, state: "started" });
      });
    }
    const ids = world.kept.ledger.map(({ executionId }) => executionId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test("steps that may change something outside never run twice in one attempt, whatever crashes", () => {
  holds((given) => {
    const { world } = played(given);
    if (given.plan.files.write.length === 0) return;
    const runs = world.kept.ledger.map(({ attempt, stepIndex }) => `${attempt} ${stepIndex}`);
    expect(new Set(runs).size).toBe(runs.length);
    const ran = world.effects.filter(({ kind }) => kind === "run_step").length;
    expect(ran).toBeLessThanOrEqual(runs.length);
  });
});

test("every space that was opened is closed in a life that reaches its end, and nothing follows the last write but that", () => {
  holds((given) => {
    const effects = played({ ...given, crashes: [] }).world.effects;
    const kinds = effects.map(({ kind }) => kind);
    const count = (wanted: string): number => kinds.filter((kind) => kind === wanted).length;
    expect(count("close_space")).toBe(count("open_space"));
    expect(count("finish")).toBe(1);
    expect(kinds.slice(kinds.indexOf("finish") + 1).filter((kind) => kind !== "close_space")).toEqual([]);
  });
});

const stray: fc.Arbitrary<RunFact> = fc.oneof(
  fc.constant<RunFact>({ kind: "begin", at: instant(1) }),
  // The result of another execution, and one that says it answers another step.
  fc.constantFrom<RunFact>(
    { kind: "step_ended", result: resultOf({ executionId: "run-1.99" }), at: instant(1) },
    { kind: "step_ended", result: resultOf({ stepIndex: 7 }), at: instant(1) },
  ),
);

test("[WORK-11] the same facts give the same effects, and facts that nobody waits for change nothing", () => {
  fc.assert(
    fc.property(script, fc.array(stray, { minLength: 1, maxLength: 5 }), (given, strays) => {
      const { facts, effects } = played({ ...given, crashes: [] }).world;
      const replay = (all: readonly RunFact[]): readonly RunEffect[] => {
        const grant = { plan: given.plan, runId: "run-1", tokenId: "token-1", planHash: sha256Hex("plan") };
        let state = createRun({ ...grant, systemGates: [], planner: "set", at: instant(0) });
        return all.flatMap((fact) => {
          const advance = advanceRun(state, fact);
          state = advance.state;
          return advance.effects;
        });
      };
      expect(replay(facts)).toEqual(effects);
      expect(replay(facts.flatMap((fact, index) => (index === 0 ? [fact] : [...strays, fact])))).toEqual(effects);
    }),
    { numRuns: depth({ sample: 50, every: 200 }) },
  );
});
