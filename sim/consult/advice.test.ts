import { expect, test } from "vitest";
import type { ModelScript } from "#gateway";
import { consultLine } from "#model";
import { daySpent } from "../model/day-tokens.ts";
import { grantPlan, until } from "../work-world.ts";
import {
  ADVICE,
  advising,
  holdPlanner,
  inAdviceScene,
  isPlanner,
  modelPlan,
  shown,
  type AdviceScene,
} from "./advice.fixture.ts";
import { eventsOf, revise, waiting } from "./replan.fixture.ts";

const plannerAsked = ({ models }: AdviceScene) => models.asked.filter(isPlanner);
const ofAdvice = (events: readonly string[]) => events.filter((event) => event.startsWith("advice_"));
const CLI = { kind: "terminal" } as const;

/** Everything on the queue of the planner is settled. */
async function isQueueEmpty({ trust, world }: AdviceScene): Promise<boolean> {
  const kinds = ["consult_planner", "replan_request"] as const;
  const asked = { kinds, holder: "test", countMax: 9, at: world.clock.now(), leaseMs: 1 };
  return (await trust.stores.queue.lease({ ...asked, deliveriesMax: 9 })).length === 0;
}

test("[CONSULT-01] [CONSULT-03] [WORK-30] [BUD-05] a model whose check fails three times waits, the planner is asked once on the queue, and the run goes on with its advice on the same approval", async () => {
  await inAdviceScene({ says: advising(ADVICE) }, async (scene) => {
    const runId = await grantPlan(scene, modelPlan());
    await scene.work.runGranted(runId);
    const { run, ledger, consults = [] } = await shown(scene, runId);
    expect(run).toMatchObject({ status: "done", isVerified: true, attempts: 4, guidance: ADVICE });
    const [question, ...more] = plannerAsked(scene);
    expect(more).toEqual([]);
    expect(question?.prompt).toContain('Check "page is there" failed');
    expect(question?.prompt).toMatch(/--- what became of it \| 3 attempts \| goes on \| external ---/);
    expect(question?.system).toContain("You cannot run anything, approve anything");
    // Nothing but the first approval was ever granted, and it is the one that was signed.
    const events = await eventsOf(scene);
    expect(events.filter((event) => event === "approval_granted")).toHaveLength(1);
    expect(ofAdvice(events)).toEqual(["advice_requested", "advice_given"]);
    expect(events).not.toContain("replan_requested");
    expect(consults.map(consultLine)).toEqual([`Asked the planner for advice (1 of 3): ${ADVICE}`]);
    // What it came to is in the budget of the run and in the tokens of the day, once in each.
    const turns = ledger.reduce((sum, { tokensUsed }) => sum + tokensUsed, 0);
    const { plannerCalls, tokens } = run.budgetUsed;
    expect(tokens).toBeGreaterThan(turns);
    expect(plannerCalls).toBe(1);
    expect(await daySpent(scene.trust.stores.calls, { tokens, at: run.startedAt })).toBe(true);
    expect(await isQueueEmpty(scene)).toBe(true);
  });
});

test("[CONSULT-02] [CONSULT-10] after 90 s the run goes on without advice, by the clock and by itself; what comes later is acknowledged and changes nothing", async () => {
  const held = holdPlanner();
  await inAdviceScene({ says: advising(ADVICE), around: held.around }, async (scene) => {
    const runId = await grantPlan(scene, modelPlan({ budget: ", max_planner_calls: 1" }));
    await scene.work.start();
    await held.asked;
    await until(async () => (await shown(scene, runId)).consults?.[0]?.state === "asking");
    expect((await shown(scene, runId)).run.consult).toBeDefined();
    scene.passMs(80_000);
    scene.review.changed();
    expect((await shown(scene, runId)).run.attempts).toBe(3);
    scene.passMs(10_000);
    // No more time passes; whatever became due meanwhile is done.
    await until(async () => {
      scene.passMs(0);
      return (await shown(scene, runId)).run.attempts > 3;
    });
    await until(async () => (await shown(scene, runId)).run.endedAt !== null);
    const { run, consults = [] } = await shown(scene, runId);
    expect(run).toMatchObject({ status: "stuck", attempts: 5, budgetUsed: { plannerCalls: 1 } });
    expect(run.guidance).toBeUndefined();
    const [advice] = consults;
    expect(advice).toMatchObject({ state: "failed", failure: "advice_late" });
    expect(consults.slice(0, 1).map(consultLine)).toEqual(["Went on without advice (1 of 1): none came within 90 s"]);
    held.go();
    await until(async () => (await eventsOf(scene)).includes("replan_failed"));
    await until(() => isQueueEmpty(scene));
    const after = await shown(scene, runId);
    expect(after.run).toEqual(run);
    expect(after.consults?.[0]).toEqual(advice);
    expect(ofAdvice(await eventsOf(scene))).toEqual(["advice_requested", "advice_failed"]);
    // Everything was tried by itself, in its order, and the owner is told last.
    const order = (await eventsOf(scene)).filter((event) => /^(run_|advice_|replan_)/.test(event));
    expect(order).toEqual([
      "run_started",
      "advice_requested",
      "advice_failed",
      "run_ended",
      "replan_requested",
      "replan_failed",
    ]);
  });
});

test("[CONSULT-04] advice that does not help is asked for as often as it may be, and then the planner is asked for another way, which waits for its own approval", async () => {
  const other = modelPlan().replace("task-page", "task-other").replace("[shell_exec]", "[file_write]");
  const says = advising("Think again.");
  await inAdviceScene(
    {
      says: (asked) =>
        asked.prompt.includes("propose_plan") && asked.prompt.includes("another way") ? revise(other) : says(asked),
    },
    async (scene) => {
      const runId = await grantPlan(scene, modelPlan());
      await scene.work.runGranted(runId);
      const { run, consults = [] } = await shown(scene, runId);
      expect(run).toMatchObject({ status: "stuck", attempts: 5, budgetUsed: { plannerCalls: 2 } });
      expect(consults.map(({ kind, number, state }) => [kind, number, state])).toEqual([
        ["advice", 1, "ended"],
        ["advice", 2, "ended"],
        ["replan", 1, "ended"],
      ]);
      expect((await waiting(scene)).map(({ workItemId }) => workItemId)).toEqual(["task-other"]);
    },
  );
});

test("[WORK-30] nobody is asked for advice by a plan that says to report, that has no calls left for it, or that has no attempt left to use it", async () => {
  const plans = [
    modelPlan({ front: "on_stuck: report\n" }),
    modelPlan({ budget: ", max_planner_calls: 0" }),
    modelPlan().replace("max_attempts: 5", "max_attempts: 3"),
  ];
  for (const plan of plans) {
    await inAdviceScene({ says: advising(ADVICE) }, async (scene) => {
      const runId = await grantPlan(scene, plan);
      await scene.work.runGranted(runId);
      expect((await shown(scene, runId)).run).toMatchObject({ status: "stuck", budgetUsed: { plannerCalls: 0 } });
      expect(ofAdvice(await eventsOf(scene))).toEqual([]);
    });
  }
});

/** What three attempts come to. */
async function tokensOfThree(): Promise<number> {
  let tokens = 0;
  await inAdviceScene({ says: advising(ADVICE) }, async (scene) => {
    const runId = await grantPlan(
      scene,
      modelPlan({ front: "on_stuck: report\n" }).replace("attempts: 5", "attempts: 3"),
    );
    await scene.work.runGranted(runId);
    tokens = (await shown(scene, runId)).run.budgetUsed.tokens;
  });
  return tokens;
}

const saying =
  (said: ReturnType<ModelScript>): ModelScript =>
  (asked) =>
    isPlanner(asked) ? said : advising("")(asked);

test("[CONSULT-01] [BUD-05] what the planner says in no form that can be read, or what would cost more than the run has left, is no advice: the run goes on and says why", async () => {
  const cases = [
    [advising(ADVICE), `, max_tokens: ${(await tokensOfThree()) + 700}`, "advice_over_budget"],
    [saying(""), "", "model_unreadable"],
    [saying({ code: "model_busy" }), "", "model_busy"],
  ] as const;
  for (const [says, budget, failure] of cases) {
    await inAdviceScene({ says }, async (scene) => {
      const runId = await grantPlan(scene, modelPlan({ budget }));
      await scene.work.runGranted(runId);
      const { run, consults = [] } = await shown(scene, runId);
      expect(run.status).toBe("stuck");
      expect(run.attempts).toBeGreaterThan(3);
      expect(consults[0]).toMatchObject({ kind: "advice", state: "failed", failure, guidance: null });
    });
  }
});

test("[CONSULT-11] runs that are stopped while they wait for advice end at once; what comes then changes nothing, and what was not asked yet is asked no more", async () => {
  const held = holdPlanner();
  await inAdviceScene({ says: advising(ADVICE), around: held.around }, async (scene) => {
    const runs = [
      await grantPlan(scene, modelPlan()),
      await grantPlan(scene, modelPlan().replace("task-page", "task-second")),
    ];
    await scene.work.start();
    await held.asked;
    const states = async (): Promise<readonly (string | undefined)[]> =>
      (await Promise.all(runs.map((runId) => shown(scene, runId)))).map(({ consults }) => consults?.[0]?.state);
    // One question is put to the planner, and the other waits behind it.
    await until(async () => (await states()).toSorted().join() === "asking,waiting");
    for (const runId of runs) expect((await scene.work.cancel(runId, CLI)).ok).toBe(true);
    const ended = await Promise.all(runs.map(async (runId) => (await shown(scene, runId)).run));
    for (const run of ended) {
      expect(run).toMatchObject({ status: "cancelled", attempts: 3 });
      expect(run.consult).toBeUndefined();
    }
    held.go();
    await until(async () => (await states()).toSorted().join() === "ended,failed");
    expect(await Promise.all(runs.map(async (runId) => (await shown(scene, runId)).run))).toEqual(ended);
    expect(plannerAsked(scene)).toHaveLength(1);
    const told = await Promise.all(runs.map(async (runId) => (await shown(scene, runId)).consults?.[0]?.failure));
    expect(told).toContain("advice_unneeded");
  });
});
