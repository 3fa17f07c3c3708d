import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { msOfInstant, sha256Hex, type Instant } from "#base";
import type { GoalDetail } from "#model";
import { depth } from "../test/depth.ts";
import { inWorld, type World } from "./disk-run.ts";
import {
  answer,
  approve,
  chainOf,
  cyclesOf,
  goalText,
  openGoals,
  setClock,
  STEPS,
  type GoalWorld,
} from "./goals.fixture.ts";

const STANDING = { max_executions: 2, expires_at: "2026-12-01T00:00:00.000Z" };
const BY = { kind: "terminal" } as const;
/** Of checks every minute; the clocks change in the 28th, and the owner answers in the 36th. */
const HOURS = depth({ sample: 38, every: 168 });

/** Silas with an approved goal, started, at a full minute. */
function withGoal(text: string, play: (silas: GoalWorld, world: World) => Promise<void>): Promise<void> {
  return inWorld(1, async (world) => {
    setClock(world, "2026-11-10T09:00:00.000Z");
    const silas = await openGoals(world);
    await silas.work.start();
    await approve(silas, text);
    await play(silas, world);
    await silas.close();
  });
}

async function shown({ work }: GoalWorld): Promise<GoalDetail> {
  const goal = await work.goals.show("goal-page");
  if (!goal.ok) throw new Error(goal.error.code);
  return goal.value;
}
const waiting = async ({ trust }: GoalWorld) => {
  const inbox = await trust.approvals.inbox();
  if (!inbox.ok) throw new Error(inbox.error.code);
  return inbox.value;
};
const minutesOf = (since: unknown, until: unknown): number =>
  (msOfInstant(until as Instant) - msOfInstant(since as Instant)) / 60_000 + 1;
const countOf = async (silas: GoalWorld, event: string): Promise<number> =>
  (await chainOf(silas)).filter((entry) => entry.event === event).length;
const madePages = ({ sandboxes }: GoalWorld): number => sandboxes.ran.filter((line) => line === "make page").length;

test("[GOAL-01] [GOAL-04] [GOAL-06] checked every minute for days in which the clocks change: repaired in advance until the uses end, then asked", () =>
  inWorld(1, async (world) => {
    // In Berlin the clocks go back on the 25th; a schedule of minutes does not notice.
    setClock(world, "2026-10-23T22:00:00.000Z");
    const silas = await openGoals(world);
    await silas.work.start();
    await approve(silas, goalText({ standing: STANDING }));
    for (let hour = 0; hour < HOURS; hour += 1) {
      // It breaks three times; for the third time nobody answers for ten hours.
      if (hour % 10 === 5 && hour < 30) silas.page.isThere = false;
      await silas.pass(60);
      const asked = await silas.trust.stores.approvals.list(["pending"]);
      const [request] = asked.ok ? asked.value : [];
      if (request !== undefined && hour === 35) await answer(silas, { request, verdict: "approved" });
    }
    const chain = await chainOf(silas);
    const looks = chain.filter(({ event }) => event === "goal_checked");
    // Every minute was looked at, but for those in which a repair waited for the owner; three were looked at twice.
    const skipped = chain.flatMap(({ event, data }) =>
      event === "goal_checks_skipped" ? [minutesOf(data["since"], data["until"])] : [],
    );
    expect(skipped).toHaveLength(1);
    expect(looks.length + (skipped[0] ?? 0)).toBe(HOURS * 60 + 3);
    expect(looks.filter(({ data }) => (data["failed"] as readonly number[]).length > 0)).toHaveLength(3);
    expect(await countOf(silas, "approval_used")).toBe(2);
    expect(await countOf(silas, "goal_asked")).toBe(1);
    expect(madePages(silas)).toBe(3);
    expect(await shown(silas)).toMatchObject({ status: "healthy", repairsUsed: 2, repairsMax: 2 });
    await silas.close();
  }));

describe("a goal", () => {
  test("[GOAL-01] is scheduled only once it is approved; a cycle runs all checks, records them, and repairs nothing that is well", () =>
    inWorld(1, async (world) => {
      const silas = await openGoals(world);
      await silas.work.start();
      await silas.trust.approvals.propose(goalText({ standing: STANDING }), BY);
      await silas.pass(10);
      expect(silas.sandboxes.ran).toEqual([]);
      expect((await silas.work.goals.list()).ok && (await silas.trust.stores.goals.list())).toEqual({
        ok: true,
        value: [],
      });
      await approve(silas, goalText({ standing: STANDING }));
      await silas.pass(3);
      expect(silas.sandboxes.ran).toEqual(["look", "look", "look"]);
      expect(await countOf(silas, "goal_checked")).toBe(3);
      expect(await shown(silas)).toMatchObject({ status: "healthy", lastCycle: { passed: 1, total: 1 } });
      expect(await countOf(silas, "goal_repair_made")).toBe(0);
      await silas.close();
    }));

  test("[GOAL-03] [GOAL-04] [GOAL-05] [GOAL-10] repairs on its standing approval: hash before use, one use, one run on that token, then the checks again", () =>
    withGoal(goalText({ standing: STANDING }), async (silas) => {
      silas.page.isThere = false;
      await silas.pass(1);
      const [cycle] = await cyclesOf(silas);
      expect(cycle).toMatchObject({ ended: "healthy", reason: null, repair: { status: "done", requestId: null } });
      expect(silas.sandboxes.ran).toEqual(["look", "make page", "look", "look"]);
      const chain = await chainOf(silas);
      const names = chain.map(({ event }) => event);
      const made = chain.find(({ event }) => event === "goal_repair_made");
      const used = chain.find(({ event }) => event === "approval_used");
      expect(made?.data["task_hash"]).toBe(used?.data["content_hash"]);
      expect(names.indexOf("goal_repair_made")).toBeLessThan(names.indexOf("approval_used"));
      expect(names.filter((name) => name === "approval_used")).toHaveLength(1);
      const run = await silas.trust.stores.work.find(cycle?.repair?.runId ?? "");
      expect(run.ok && run.value).toMatchObject({ status: "done", isVerified: true, tokenId: used?.data["token_id"] });
      expect(await waiting(silas)).toEqual([]);
    }));

  test("[GOAL-06] without a standing approval the owner is asked about exactly the task, and an approval runs it once", () =>
    withGoal(goalText(), async (silas) => {
      silas.page.isThere = false;
      await silas.pass(30);
      const [request, ...more] = await waiting(silas);
      expect(more).toEqual([]);
      const [cycle] = await cyclesOf(silas);
      expect(cycle).toMatchObject({ state: "waiting", repair: { whyAsked: "standing_missing", runId: null } });
      expect(request).toMatchObject({ planHash: cycle?.repair?.taskHash, workItemId: cycle?.repair?.taskId });
      expect(request?.projection).toContain("output of checks, from outside");
      expect(madePages(silas)).toBe(0);
      expect(await shown(silas)).toMatchObject({ status: "waiting_for_you" });
      if (request === undefined) return;
      await answer(silas, { request, verdict: "approved" });
      await silas.pass(1);
      expect(madePages(silas)).toBe(1);
      const asked = (await cyclesOf(silas)).find(({ repair }) => repair?.requestId === request.requestId);
      expect(asked).toMatchObject({ ended: "healthy", repair: { status: "done" } });
      await silas.pass(5);
      expect(madePages(silas)).toBe(1);
    }));

  test("[GOAL-06] a standing approval that is over, used up or of another goal is not used; the owner is asked and told why", async () => {
    const over = { max_executions: 5, expires_at: "2026-11-10T09:05:00.000Z" };
    await withGoal(goalText({ standing: over }), async (silas) => {
      await silas.pass(10);
      silas.page.isThere = false;
      await silas.pass(2);
      expect((await cyclesOf(silas))[0]?.repair?.whyAsked).toBe("approval_expired");
    });
    await withGoal(goalText({ standing: { ...STANDING, max_executions: 1 } }), async (silas) => {
      silas.page.canBeRepaired = false;
      silas.page.isThere = false;
      await silas.pass(1);
      expect((await cyclesOf(silas))[0]).toMatchObject({ ended: "failed", reason: "still_failing" });
      await silas.pass(1);
      expect((await cyclesOf(silas))[0]?.repair?.whyAsked).toBe("approval_spent");
      expect(await countOf(silas, "approval_used")).toBe(1);
    });
    await withGoal(goalText({ standing: STANDING }), async (silas, world) => {
      // The goal that counts is the newest that was approved, and it stands on nothing.
      world.clock.moveMs(1000);
      await approve(silas, goalText({ lines: STEPS.replace("make page", "make page again") }));
      silas.page.isThere = false;
      await silas.pass(2);
      expect((await cyclesOf(silas))[0]?.repair?.whyAsked).toBe("standing_missing");
      expect(await countOf(silas, "approval_used")).toBe(0);
    });
  });

  test("[GOAL-07] declined is blocked and not asked again for the same failure; no answer is missed, and nothing runs", async () => {
    await withGoal(goalText(), async (silas) => {
      silas.page.isThere = false;
      await silas.pass(2);
      const [request] = await waiting(silas);
      if (request === undefined) throw new Error("nothing was asked");
      await answer(silas, { request, verdict: "declined" });
      await silas.pass(5);
      const cycles = await cyclesOf(silas);
      expect(cycles.find(({ repair }) => repair !== null)).toMatchObject({ ended: "blocked", reason: "declined" });
      expect(cycles[0]).toMatchObject({ ended: "failed", reason: "declined_before", repair: null });
      expect(await countOf(silas, "approval_requested")).toBe(2);
      // Another time it is another failure.
      silas.page.isThere = true;
      await silas.pass(1);
      silas.page.isThere = false;
      await silas.pass(1);
      expect(await waiting(silas)).toHaveLength(1);
      expect(madePages(silas)).toBe(0);
    });
    await withGoal(goalText(), async (silas) => {
      silas.page.isThere = false;
      await silas.pass(2);
      expect(await waiting(silas)).toHaveLength(1);
      await silas.pass(10);
      const missed = await silas.trust.approvals.missed();
      expect(missed.ok && missed.value).toHaveLength(1);
      const cycles = await cyclesOf(silas);
      expect(cycles.find(({ repair }) => repair !== null)).toMatchObject({ ended: "missed", reason: "not_decided" });
      expect(cycles[0]).toMatchObject({ reason: "missed_before" });
      expect(await countOf(silas, "approval_declined")).toBe(0);
      expect(madePages(silas)).toBe(0);
    });
  });

  test("[GOAL-08] that only reports makes no task; one without steps says that its repair needs a model, and uses nothing", async () => {
    await withGoal(goalText({ lines: "on_failure: report" }), async (silas) => {
      silas.page.isThere = false;
      await silas.pass(2);
      const [cycle] = await cyclesOf(silas);
      expect(cycle).toMatchObject({ ended: "failed", repair: null, results: [{ passed: false }] });
      expect(await countOf(silas, "goal_repair_made")).toBe(0);
    });
    const lines = "on_failure: mend\nescalation: { mend: { action: spawn_task } }";
    await withGoal(goalText({ lines, standing: STANDING }), async (silas) => {
      silas.page.isThere = false;
      await silas.pass(2);
      const [cycle] = await cyclesOf(silas);
      expect(cycle).toMatchObject({ ended: "blocked", reason: "repair_needs_model", repair: { runId: null } });
      expect(await countOf(silas, "approval_used")).toBe(0);
      expect((await shown(silas)).statusWords).toContain("needs a model");
    });
  });

  test("can be paused and resumed, and is checked once at a time", () =>
    withGoal(goalText(), async (silas) => {
      await silas.pass(2);
      expect((await silas.work.goals.pause("goal-page", BY)).ok).toBe(true);
      expect((await silas.work.goals.pause("goal-page", BY)).ok).toBe(false);
      expect((await silas.work.goals.check("goal-page", BY)).ok).toBe(false);
      await silas.pass(10);
      expect(silas.sandboxes.ran).toHaveLength(2);
      expect(await shown(silas)).toMatchObject({ status: "paused", nextDue: null });
      expect((await silas.work.goals.resume("goal-page", BY)).ok).toBe(true);
      await silas.pass(2);
      expect(silas.sandboxes.ran).toHaveLength(4);
      // What was not due while it was paused is not missed.
      expect(await countOf(silas, "goal_checks_skipped")).toBe(0);
      silas.page.isThere = false;
      await silas.pass(1);
      const busy = await silas.work.goals.check("goal-page", BY);
      expect(busy.ok ? null : busy.error.code).toBe("goal_busy");
      expect(silas.sandboxes.ran).toHaveLength(5);
    }));

  test("is not looked at while everything is stopped, and is again afterwards", () =>
    withGoal(goalText({ standing: STANDING }), async (silas) => {
      expect((await silas.work.stops.stop(BY)).ok).toBe(true);
      silas.page.isThere = false;
      // What is due meanwhile wakes nobody.
      expect(await wakesIn(silas, 30)).toBeLessThanOrEqual(35);
      expect(silas.sandboxes.ran).toEqual([]);
      expect((await silas.work.stops.startAgain(BY)).ok).toBe(true);
      await silas.pass(2);
      expect(await shown(silas)).toMatchObject({ status: "healthy", repairsUsed: 1 });
      expect(await countOf(silas, "goal_checks_skipped")).toBe(1);
    }));

  test("that was due while Silas was off follows the policy: asked about, it waits for a word and says so", () =>
    inWorld(1, async (world) => {
      setClock(world, "2026-11-10T09:00:00.000Z");
      const text = goalText().replace('"* * * * *"', '"0 * * * *"');
      const first = await openGoals(world, { scheduler: { missedRunPolicy: "ask" } });
      await first.work.start();
      await approve(first, text);
      await first.close();
      world.clock.moveMs(3.5 * 3_600_000);
      const silas = await openGoals(world, { vault: first.vault, scheduler: { missedRunPolicy: "ask" } });
      await silas.work.start();
      await silas.pass(5);
      expect(silas.sandboxes.ran).toEqual([]);
      const asked = await shown(silas);
      expect(asked).toMatchObject({ status: "waiting_for_you", nextDue: "2026-11-10T13:00:00.000Z" });
      expect(asked.statusWords).toContain("3 checks were due");
      const skipped = (await chainOf(silas)).find(({ event }) => event === "goal_checks_skipped");
      expect(skipped?.data).toMatchObject({ count: 3, since: "2026-11-10T10:00:00.000Z", reason: "asked" });
      expect(asked.missedChecks).toBe(3);
      const checked = await silas.work.goals.check("goal-page", BY);
      expect(checked.ok && checked.value).toMatchObject({ status: "healthy", missedChecks: 0 });
      await silas.close();
    }));

  test("that asks about checks it missed can be left alone: nothing is run, the chain says who decided, and it is said once", () =>
    inWorld(1, async (world) => {
      setClock(world, "2026-11-10T09:00:00.000Z");
      const asking = { scheduler: { missedRunPolicy: "ask" } } as const;
      const first = await openGoals(world, asking);
      await first.work.start();
      await approve(first, goalText().replace('"* * * * *"', '"0 * * * *"'));
      expect(await first.work.goals.leave("goal-page", BY)).toMatchObject({ error: { code: "goal_nothing_missed" } });
      await first.close();
      world.clock.moveMs(3.5 * 3_600_000);
      const silas = await openGoals(world, { vault: first.vault, ...asking });
      await silas.work.start();
      await silas.settle();
      const left = await silas.work.goals.leave("goal-page", BY);
      expect(left.ok && left.value).toMatchObject({ status: "never_checked", missedChecks: 0, statusWords: null });
      const again = await silas.work.goals.leave("goal-page", BY);
      expect(again).toMatchObject({ ok: false, error: { code: "goal_nothing_missed" } });
      expect(silas.sandboxes.ran).toEqual([]);
      const said = (await chainOf(silas)).filter(({ event }) => event === "goal_checks_left");
      expect(said).toMatchObject([{ data: { goal_id: "goal-page", count: 3 }, actor: BY }]);
      // What is due next is looked at as always.
      await silas.pass(31);
      expect(silas.sandboxes.ran).toEqual(["look"]);
      await silas.close();
    }));

  test("whose key was revoked is not checked: the gate blocks it, and nothing is repaired", () =>
    withGoal(goalText({ standing: STANDING }), async (silas) => {
      const key = await silas.trust.stores.keys.list();
      const [first] = key.ok ? key.value : [];
      if (first === undefined) throw new Error("no key");
      await silas.trust.stores.keys.revoke({
        keyId: first.keyId,
        at: silas.world.clock.now(),
        actor: BY,
        lastKey: "revoke",
      });
      silas.page.isThere = false;
      await silas.pass(1);
      expect(silas.sandboxes.ran).toEqual([]);
      expect((await cyclesOf(silas))[0]).toMatchObject({ ended: "blocked", reason: "approval_key_revoked" });
    }));
});

test("the hash of a repair is that of the task the owner would be shown", () =>
  withGoal(goalText(), async (silas) => {
    silas.page.isThere = false;
    await silas.pass(2);
    const [request] = await waiting(silas);
    expect(sha256Hex(request?.projection ?? "")).toBe((await cyclesOf(silas))[0]?.repair?.taskHash);
  }));

test.each([60, 24 * 60])(
  "a goal goes on being checked when the clock was set back by %d minutes, and says so once",
  (minutes) =>
    inWorld(1, async (world) => {
      setClock(world, "2026-11-10T09:00:00.000Z");
      const first = await openGoals(world);
      await first.work.start();
      await approve(first, goalText({ standing: STANDING }));
      await first.pass(2);
      await first.close();
      world.clock.moveMs(-minutes * 60_000);
      const silas = await openGoals(world, { vault: first.vault, page: { isThere: false, canBeRepaired: true } });
      await silas.work.start();
      await silas.pass(3);
      expect(await countOf(silas, "goal_replanned")).toBe(1);
      const [newest] = await cyclesOf(silas);
      // What was approved in advance is from later by this clock: it is not used, and the owner is asked.
      expect(newest).toMatchObject({ state: "waiting", repair: { whyAsked: "approval_not_yet_valid", tokenId: null } });
      expect((await shown(silas)).statusWords).toContain("a time that this clock has not reached");
      expect((newest?.startedAt ?? "z") <= world.clock.now()).toBe(true);
      await silas.close();
    }),
);

/** Lets time pass, and answers how often something woke in it. */
async function wakesIn(silas: GoalWorld, minutes: number): Promise<number> {
  const endMs = msOfInstant(silas.world.clock.now()) + minutes * 60_000;
  let wakes = 0;
  for (; silas.timers.next(endMs); wakes += 1) await silas.settle();
  return wakes;
}

test("what is damaged of one goal is said of it, and the others are listed, taken up and checked", () =>
  withGoal(goalText(), async (silas) => {
    await approve(silas, goalText().replaceAll("goal-page", "goal-other"));
    await silas.pass(2);
    const looksOf = async (goalId: string): Promise<number> => {
      const cycles = await silas.trust.stores.goals.cycles(goalId);
      return cycles.ok ? cycles.value.length : Number.NaN;
    };
    const [page, other] = [await looksOf("goal-page"), await looksOf("goal-other")];
    expect(page).toBeGreaterThan(0);
    const database = new DatabaseSync(join(silas.dataDir, "silas.db"));
    // A disk that fails asks no trigger.
    database.exec("DROP TRIGGER goal_cycles_stay");
    database.exec(`UPDATE goal_cycles SET record = '{}' WHERE goal_id = 'goal-page' AND number = ${page}`);
    database.close();
    // The other goal is due three times. What cannot be read is tried then, and not again and again.
    expect(await wakesIn(silas, 3)).toBeLessThanOrEqual(8);
    expect(await silas.work.goals.list()).toMatchObject({
      value: [
        { goalId: "goal-other", status: "healthy", statusWords: null },
        { goalId: "goal-page", status: "failing", statusWords: expect.stringContaining("damaged") },
      ],
    });
    expect(await looksOf("goal-other")).toBeGreaterThan(other);
    expect(await looksOf("goal-page")).toBe(page - 1);
  }));
