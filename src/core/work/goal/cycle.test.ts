import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Instant } from "#base";
import type { CheckResult, Cycle } from "#model";
import { accepted, goalFile } from "../../../../test/plan-texts.ts";
import { advanceCycle, beginCycle, repairTask, resumeCycle } from "./cycle.ts";
import type { CycleEffect, CycleFact, CycleState } from "./cycle-facts.ts";

const AT = "2026-11-16T06:00:00.000Z" as Instant;

const goal = (lines = "on_failure: spawn_task\nsteps:\n  - { name: mend, run: make page }") => ({
  requestId: "request-1",
  item: accepted(
    goalFile(`failure_context: "Again: $failed_checks"
verify:
  - { name: up, run: look, expect: { exit_code: 0 } }
  - { name: title, run: look again, expect: { exit_code: 0 } }
${lines}`),
  ).item,
});
const result = (name: string, isPassed: boolean): CheckResult => ({
  name,
  passed: isPassed,
  reason: isPassed ? "Passed" : "Ended with code 1, not 0",
  output: isPassed ? "" : "said $failed_checks",
  exitCode: isPassed ? 0 : 1,
  changedFiles: [],
});
const results = (...passed: readonly boolean[]): readonly CheckResult[] =>
  ["up", "title"].map((name, index) => result(name, passed[index] ?? false));
const ran = (...passed: readonly boolean[]): CycleFact => ({
  kind: "checks_ran",
  at: AT,
  results: results(...passed),
  runId: "run-1",
});

const begin = (over: Partial<Parameters<typeof beginCycle>[0]> = {}) =>
  beginCycle({ goal: goal(), number: 7, trigger: "schedule", due: AT, skipped: 0, previous: null, at: AT, ...over });

/** Tells the facts one after the other, and keeps every effect. */
function tell(first: ReturnType<typeof beginCycle>, facts: readonly CycleFact[]) {
  let { state } = first;
  const effects: CycleEffect[] = [...first.effects];
  for (const fact of facts) {
    const next = advanceCycle(state, fact);
    state = next.state;
    effects.push(...next.effects);
  }
  return { state, effects, kinds: effects.map(({ kind }) => kind) };
}

describe("a look at a goal", () => {
  test("[GOAL-01] ends well when all checks pass: one record that says so, and nothing is made", () => {
    const { kinds, state } = tell(begin(), [ran(true, true)]);
    expect(kinds).toEqual(["run_checks", "record"]);
    expect(state.cycle).toMatchObject({ ended: "healthy", repair: null, endedAt: AT });
  });

  test("[INV-03] is verified only by checks that can come out another way", () => {
    const checked = (run: string) => ({
      requestId: "request-1",
      item: accepted(goalFile(`verify:\n  - { name: up, run: "${run}", expect: { exit_code: 0 } }`)).item,
    });
    const passed: CycleFact = { kind: "checks_ran", at: AT, results: [result("up", true)], runId: "run-1" };
    const looked = (run: string) => tell(begin({ goal: checked(run) }), [passed]).state.cycle;
    expect(looked("test -f page.html")).toMatchObject({ ended: "healthy", isVerified: true });
    expect(looked("true")).toMatchObject({ ended: "healthy", isVerified: false });
    expect(tell(begin({ goal: goal("") }), [ran(true, false)]).state.cycle).toMatchObject({ isVerified: false });
  });

  test("[GOAL-02] makes one task of what failed, with the goal as parent and the failure as data in the template", () => {
    const { state, kinds } = tell(begin(), [ran(true, false)]);
    expect(kinds).toEqual(["run_checks", "record", "spend_standing"]);
    const { item, taint } = repairTask(state);
    expect(item).toMatchObject({ id: "goal-1.r7", type: "task", parent: "goal-1", steps: [{ name: "mend" }] });
    expect(item.body).toContain("| failed: title\n| Ended with code 1, not 0\n| said $failed_checks\n--- end");
    expect(item.body).not.toContain("failed: up");
    expect(taint).toBe("external");
    const named = goal(
      "on_failure: mend\nescalation: { mend: { action: spawn_task } }\nsteps:\n  - { name: a, run: ls }",
    );
    expect(tell(begin({ goal: named }), [ran(false)]).kinds).toContain("spend_standing");
  });

  test("[GOAL-08] that begins no task ends as failed with its results", () => {
    for (const lines of ["", "on_failure: report", "on_failure: tell\nescalation: { tell: { action: respond } }"]) {
      const { state, kinds } = tell(begin({ goal: goal(lines) }), [ran(false, true)]);
      expect(kinds).toEqual(["run_checks", "record"]);
      expect(state.cycle).toMatchObject({ ended: "failed", repair: null, results: results(false, true) });
    }
  });

  test("results that are not those of exactly its checks are no pass", () => {
    const facts: readonly (readonly CheckResult[])[] = [
      [],
      [result("up", true)],
      [result("title", true), result("up", true)],
    ];
    for (const found of facts) {
      const { state } = tell(begin({ goal: goal("") }), [{ kind: "checks_ran", at: AT, results: found, runId: "r" }]);
      expect(state.cycle.ended).toBe("failed");
    }
    const none = { ...goal("").item, verify: [] };
    const { state } = tell(begin({ goal: { item: none, requestId: "r" } }), [
      { kind: "checks_ran", at: AT, results: [], runId: "r" },
    ]);
    expect(state.cycle).toMatchObject({ ended: "failed", reason: "no_checks" });
  });

  test("after a repair in doubt the owner is asked, although repairs were approved in advance", () => {
    const before = tell(begin(), [
      ran(false, true),
      { kind: "standing_used", at: AT, tokenId: "tok" },
      { kind: "repair_ended", at: AT, status: "in_doubt" },
      ran(false, true),
    ]).state.cycle;
    expect(before).toMatchObject({ ended: "failed", reason: "still_failing" });
    const { kinds, state } = tell(begin({ previous: before, number: 8 }), [ran(false, true)]);
    expect(kinds).toEqual(["run_checks", "record", "ask_owner"]);
    expect(state.cycle.repair).toMatchObject({ whyAsked: "repair_in_doubt", runId: null });
  });
});

/** Whatever may be told, in any order and again and again. */
const anyFact: fc.Arbitrary<CycleFact> = fc.oneof(
  fc.tuple(fc.boolean(), fc.boolean(), fc.integer({ min: 1, max: 99 })).map(([up, title, run]): CycleFact => ({
    kind: "checks_ran",
    at: AT,
    results: results(up, title),
    runId: `run-${run}`,
  })),
  fc.constantFrom<CycleFact>(
    { kind: "checks_refused", at: AT, code: "approval_key_revoked" },
    { kind: "standing_used", at: AT, tokenId: "tok" },
    { kind: "standing_refused", at: AT, code: "approval_spent" },
    { kind: "asked", at: AT, requestId: "asked-1" },
    { kind: "ask_refused", at: AT, code: "too_many_pending" },
    { kind: "approved", at: AT, runId: "run-asked", tokenId: "tok-asked" },
    { kind: "declined", at: AT },
    { kind: "expired", at: AT },
    { kind: "repair_ended", at: AT, status: "done" },
    { kind: "repair_ended", at: AT, status: "blocked" },
  ),
);

test("[GOAL-04] [GOAL-07] whatever is told, one task is made and run at most once, only on a use or an approval, and what ended stays", () => {
  fc.assert(
    fc.property(fc.array(anyFact, { maxLength: 25 }), (facts) => {
      const { effects, state } = tell(begin(), facts);
      const runs = effects.filter(({ kind }) => kind === "run_repair");
      expect(runs.length).toBeLessThanOrEqual(1);
      expect(effects.filter(({ kind }) => kind === "spend_standing").length).toBeLessThanOrEqual(1);
      expect(runs.length === 0 || state.cycle.repair?.tokenId?.startsWith("tok")).toBe(true);
      const records = effects.flatMap((effect) => (effect.kind === "record" ? [effect.cycle] : []));
      expect(new Set(records.flatMap(({ repair }) => repair?.taskHash ?? [])).size).toBeLessThanOrEqual(1);
      expect(state.phase === "ended" ? records.at(-1) : state.cycle).toEqual(state.cycle);
    }),
    { numRuns: 300 },
  );
});

test("a cycle that was left anywhere goes on with the turn that was kept, and the same facts end it in the same way", () => {
  fc.assert(
    fc.property(
      fc.array(anyFact, { minLength: 1, maxLength: 12 }),
      fc.array(anyFact, { maxLength: 12 }),
      (first, then) => {
        const before: CycleState = tell(begin(), first).state;
        if (before.phase === "checking") return;
        const cycle: Cycle = before.cycle;
        const again = tell(resumeCycle({ goal: before.goal, cycle }), then).state;
        expect(again.cycle).toEqual(tell({ state: before, effects: [] }, then).state.cycle);
      },
    ),
    { numRuns: 200 },
  );
});
