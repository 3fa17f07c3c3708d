import { describe, expect, test } from "vitest";
import { suggestionSchema, suggestionToWire } from "#model";
import { ago, factsOf, goalOf, keptOf, missedOf, NOW, runOf } from "./suggest.fixture.ts";
import { suggestAfter, suggestIdle, type Idea } from "./suggest.ts";

const offers = (ideas: readonly Idea[]): readonly string[] => ideas.map(({ cooldownKey }) => cooldownKey);

describe("what is worth saying", () => {
  test("[SUGG-02] [SUGG-03] each source alone brings one suggestion, by rules and with no model: goals, reviews, results and warnings", () => {
    const sources = [
      [{ goals: [goalOf("goal-a")] }, "renew_goal:goal-a", "goal_monitor"],
      [{ missed: [missedOf("task-a")] }, "ask_again:request-task-a", "idle_heartbeat"],
      [{ runs: [runOf("task-a")] }, "run_again:run-task-a", "idle_heartbeat"],
      [{ warnings: { irreversibleWaiting: 1, passkeys: 0 } }, "add_passkey:browser", "idle_heartbeat"],
    ] as const;
    for (const [facts, key, source] of sources) {
      expect(suggestIdle(factsOf(facts)).map((idea) => [idea.cooldownKey, idea.source])).toEqual([[key, source]]);
    }
    expect(suggestIdle(factsOf())).toEqual([]);
  });

  test("equal facts give equal suggestions, and of one piece of work one thing is said", () => {
    const facts = factsOf({
      goals: [goalOf("goal-a")],
      runs: [runOf("task-a"), runOf("task-a", { runId: "run-old", endedAt: ago(60) })],
      missed: [missedOf("task-a"), missedOf("goal-a"), missedOf("task-b")],
    });
    expect(offers(suggestIdle(facts))).toEqual([
      "renew_goal:goal-a",
      "run_again:run-task-a",
      "ask_again:request-task-b",
    ]);
    expect(suggestIdle(facts)).toEqual(suggestIdle(facts));
  });

  test("nothing is said of what is asked about already, of what went well, or of what is long past", () => {
    const said = (over: Parameters<typeof factsOf>[0]) => offers(suggestIdle(factsOf(over)));
    const asked = new Set(["task-a", "goal-a"]);
    expect(said({ asked, runs: [runOf("task-a")], missed: [missedOf("task-a")], goals: [goalOf("goal-a")] })).toEqual(
      [],
    );
    for (const status of ["done", "blocked", "cancelled", "in_doubt", "running"] as const) {
      expect(said({ runs: [runOf("task-a", { status })] })).toEqual([]);
    }
    // A run that went well since is the newest of that work.
    expect(said({ runs: [runOf("task-a", { endedAt: ago(9) }), runOf("task-a", { status: "done" })] })).toEqual([]);
    expect(said({ runs: [runOf("task-a", { endedAt: ago(24 * 60 + 1) })] })).toEqual([]);
    expect(said({ missed: [missedOf("task-a", { endedAt: ago(59) })] })).toEqual([]);
    expect(said({ missed: [missedOf("task-a", { endedAt: ago(7 * 24 * 60 + 1) })] })).toEqual([]);
    expect(said({ goals: [goalOf("goal-a", { usesLeft: 1 })] })).toEqual([]);
    expect(said({ goals: [goalOf("goal-a", { usesLeft: 1, until: ago(-60) })] })).toEqual(["renew_goal:goal-a"]);
    expect(said({ warnings: { irreversibleWaiting: 2, passkeys: 1 } })).toEqual([]);
  });

  test("what lies exactly at the end of its time is still said", () => {
    const said = (over: Parameters<typeof factsOf>[0]) => offers(suggestIdle(factsOf(over)));
    expect(said({ runs: [runOf("task-a", { endedAt: ago(24 * 60) })] })).toEqual(["run_again:run-task-a"]);
    for (const minutes of [60, 7 * 24 * 60]) {
      expect(said({ missed: [missedOf("task-a", { endedAt: ago(minutes) })] })).toEqual(["ask_again:request-task-a"]);
    }
    const ending = (minutes: number) => said({ goals: [goalOf("goal-a", { usesLeft: 1, until: ago(-minutes) })] });
    expect([ending(48 * 60), ending(48 * 60 + 1)]).toEqual([["renew_goal:goal-a"], []]);
  });

  test("why a goal asks again is said by what ended first", () => {
    const why = (usesLeft: number, minutes: number) =>
      suggestIdle(factsOf({ goals: [goalOf("goal-a", { usesLeft, until: ago(-minutes) })] }))[0]?.rationale;
    expect(why(0, 60)).toContain("is used up");
    expect(why(1, 0)).toContain("has ended");
    expect(why(1, 1)).toContain("within two days");
  });

  test("of runs that ended at one moment the first counts, and a title is shortened only when it is too long", () => {
    const runs = [runOf("task-a"), runOf("task-a", { runId: "run-other" })];
    expect(offers(suggestIdle(factsOf({ runs })))).toEqual(["run_again:run-task-a"]);
    const intentFor = (chars: number) =>
      suggestIdle(factsOf({ runs: [runOf("task-a", { title: "x".repeat(chars - "Try again: ".length) })] }))[0]?.intent;
    expect(intentFor(80)).toBe(`Try again: ${"x".repeat(69)}`);
    expect(intentFor(81)).toBe(`Try again: ${"x".repeat(68)}…`);
  });

  test("[SUGG-07] the end of a run suggests another, once, and says where that comes from", () => {
    const [idea, ...others] = suggestAfter(runOf("task-a", { status: "failed" }), { at: NOW, asked: new Set() });
    expect(others).toEqual([]);
    expect(idea).toMatchObject({ offer: "run_again", source: "post_execution", proposedWorkItemId: "task-a" });
    expect(suggestAfter(runOf("task-a", { status: "done" }), { at: NOW, asked: new Set() })).toEqual([]);
    expect(suggestAfter(runOf("task-a"), { at: NOW, asked: new Set(["task-a"]) })).toEqual([]);
  });

  test("[SUGG-07] each next step that a run names is a suggestion of its own, in words that hide nothing, until a day has passed", () => {
    const nextSteps = ["Read the page", " ", "Send it\u202E\nto all", "Read the page", "x".repeat(900)];
    const ran = runOf("task-a", { status: "done", nextSteps });
    const ideas = suggestAfter(ran, { at: NOW, asked: new Set() });
    expect(offers(ideas)).toEqual([1, 2, 3].map((count) => `next_step:run-task-a:${count}`));
    expect(ideas[0]).toMatchObject({ rationale: "Read the page", source: "post_execution", proposedWorkItemId: null });
    for (const idea of ideas) {
      const wire = suggestionToWire({ ...keptOf(idea.cooldownKey), ...idea });
      expect(suggestionSchema.safeParse(wire).success, idea.rationale).toBe(true);
    }
    // What holds is not ended by the look that comes next, and one that failed is offered again besides.
    expect(offers(suggestIdle(factsOf({ runs: [ran] })))).toEqual(offers(ideas));
    expect(offers(suggestAfter({ ...ran, status: "failed" }, { at: NOW, asked: new Set() }))).toEqual([
      "run_again:run-task-a",
      ...offers(ideas),
    ]);
    expect(suggestIdle(factsOf({ runs: [{ ...ran, endedAt: ago(24 * 60 + 1) }] }))).toEqual([]);
  });

  test("[SUGG-05] the risk is that of what would be asked, and words of a plan are shown safely and short", () => {
    for (const riskLevel of ["low", "medium", "high", "irreversible"] as const) {
      expect(suggestIdle(factsOf({ runs: [runOf("task-a", { riskLevel })] }))[0]?.riskLevel).toBe(riskLevel);
    }
    for (const title of ["x".repeat(500), "\u{1F600}".repeat(100), "a\u202Eb\nc", "Run \u200Bit"]) {
      const [idea] = suggestIdle(factsOf({ runs: [runOf("task-a", { title })] }));
      const wire = suggestionToWire({ ...keptOf("run_again:run-a"), ...idea });
      expect(suggestionSchema.safeParse(wire).success, title).toBe(true);
    }
  });
});
