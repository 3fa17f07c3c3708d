import { describe, expect, test } from "vitest";
import { LIMITS, sha256Hex } from "#base";
import type { Queue } from "#engine";
import type { ApprovedGoal, Cycle } from "#model";
import type { AuditLog, CycleChange, GoalStore } from "#ports";
import type { RuntimeStores } from "#stores";
import { BY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";
import { inCommit } from "./queue-fixture.ts";
import { openFile, openMemory } from "./work-fixture.ts";

type Opened = {
  readonly goals: GoalStore;
  readonly audit: AuditLog;
  readonly queue: Queue;
  /** Approves a goal for the so many-th time. */
  approve(name: string, time?: number): Promise<ApprovedGoal>;
};

const projectionOf = (name: string, time: number): string => JSON.stringify({ id: name, type: "goal", time });
const approvalOf = (name: string, time: number): ApprovedGoal => ({
  goalId: name,
  requestId: `request-${name}-${time}`,
  tokenId: `tok_${name}-${time}`,
  runId: `run-${name}-${time}`,
  planHash: sha256Hex(projectionOf(name, time)),
});

function withGoals({ goals, audit, approvals, queue }: RuntimeStores): Opened {
  return {
    goals,
    queue,
    audit,
    approve: async (name, time = 1) => {
      const approved = approvalOf(name, time);
      const { requestId, planHash, runId } = approved;
      const projection = projectionOf(name, time);
      const request = { ...requestFor(name, time), requestId, planHash, projection };
      must(await approvals.propose(request));
      const token = { ...tokenFor(`${name}-${time}`), planHash };
      const spending = spendingFor(token, { lineage: runId, request });
      must(await approvals.spend({ ...spending, workItemId: name, at: at(time) }));
      return approved;
    },
  };
}

function cycleOf(name: string, over: Partial<Cycle> = {}): Cycle {
  return {
    goalId: name,
    number: 1,
    requestId: `request-${name}-1`,
    trigger: "schedule",
    due: at(1),
    skipped: 0,
    state: "ended",
    ended: "healthy",
    reason: null,
    results: [],
    found: null,
    repair: null,
    isVerified: null,
    recheck: null,
    startedAt: at(1),
    endedAt: at(1),
    ...over,
  };
}
const REPAIR = {
  taskId: "repair-1",
  taskHash: sha256Hex("repair"),
  runId: "run-repair",
  tokenId: "tok_a",
  requestId: null,
  whyAsked: null,
  status: null,
};
const open = (name: string, number: number): Cycle =>
  cycleOf(name, {
    number,
    state: "repairing",
    ended: null,
    endedAt: null,
    repair: { ...REPAIR, runId: `run-${number}` },
  });

const change = (cycle: Cycle, over: Partial<CycleChange> = {}): CycleChange => ({
  cycle,
  events: [],
  isFirst: false,
  notes: [],
  at: at(2),
  actor: { kind: "system" },
  ...over,
});

async function recorded({ audit }: Opened): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 }));
  return entries.toReversed().flatMap(({ event }) => (event.startsWith("goal_") ? [event] : []));
}

const timerAt = (time: number, timeZone = "UTC") =>
  ({ schedule: "0 * * * *", timeZone, policy: "once", graceMs: 0, nextDue: at(time) }) as const;

async function withGoal(opened: Opened, name = "page"): Promise<Opened> {
  must(
    await opened.goals.schedule({
      goal: await opened.approve(name),
      timer: timerAt(5, "Asia/Tokyo"),
      at: at(1),
    }),
  );
  return opened;
}

describe.each([
  ["in memory", async () => withGoals(await openMemory())],
  ["on disk", async () => withGoals(await openFile())],
] as const)("the goal store (%s)", (_name, openStore) => {
  test("the newest approval of each goal counts, and a goal is looked after once it is scheduled", async () => {
    const opened = await openStore();
    const { goals, approve } = opened;
    expect(must(await goals.approved())).toEqual([]);
    await approve("page", 1);
    const newest = await approve("page", 2);
    const other = await approve("backup", 3);
    expect(must(await goals.approved())).toEqual([other, newest]);
    expect(must(await goals.list())).toEqual([]);
    expect(must(await goals.find("page"))).toBeNull();
    must(await goals.schedule({ goal: newest, timer: timerAt(9), at: at(4) }));
    const kept = { ...newest, timeZone: "UTC", isPaused: false, nextDue: at(9), missedCount: 0 };
    expect(must(await goals.find("page"))).toEqual(kept);
    expect(must(await goals.list())).toEqual([kept]);
    expect(await recorded(opened)).toEqual(["goal_scheduled"]);
  });

  test("a pause takes the next time away and outlives a new approval and a new plan; going on brings one back", async () => {
    const opened = await withGoal(await openStore());
    const { goals, approve } = opened;
    const pausing = { goalId: "page", at: at(2), actor: BY } as const;
    must(await goals.pause({ ...pausing, state: "paused", nextDue: null }));
    must(await goals.schedule({ goal: await approve("page", 2), timer: timerAt(8), at: at(3) }));
    expect(must(await goals.find("page"))).toMatchObject({ timeZone: "UTC" });
    await inCommit(opened, () => goals.note({ goalId: "page", missedCount: 2, notes: [], at: at(4) }));
    expect(must(await goals.find("page"))).toMatchObject({
      isPaused: true,
      nextDue: null,
      missedCount: 2,
      requestId: "request-page-2",
    });
    must(await goals.pause({ ...pausing, state: "resumed", nextDue: at(11) }));
    expect(must(await goals.find("page"))).toMatchObject({ isPaused: false, nextDue: at(11), missedCount: 0 });
    expect(await recorded(opened)).toEqual(["goal_scheduled", "goal_paused", "goal_scheduled", "goal_resumed"]);
  });

  test("checks about which was asked are left: nothing is missed any more, and who decided is noted", async () => {
    const opened = await withGoal(await openStore());
    const { goals } = opened;
    await inCommit(opened, () => goals.note({ goalId: "page", missedCount: 2, notes: [], at: at(4) }));
    must(await goals.leave({ goalId: "page", count: 2, at: at(5), actor: BY }));
    expect(must(await goals.find("page"))).toMatchObject({ nextDue: at(5), missedCount: 0 });
    expect(await recorded(opened)).toEqual(["goal_scheduled", "goal_checks_left"]);
  });

  test("times that pass are noted with what they were, and the first turn of a cycle answers for checks that were missed", async () => {
    const opened = await withGoal(await openStore());
    const { goals } = opened;
    const missed = { kind: "goal_checks_skipped", count: 3, since: at(1), until: at(3), reason: "missed" } as const;
    await inCommit(opened, () => goals.note({ goalId: "page", missedCount: 3, notes: [missed], at: at(4) }));
    const events = [{ kind: "goal_checked", checks: 1, failed: [] }, { kind: "goal_cycle_ended" }] as const;
    const cycle = cycleOf("page");
    must(await goals.keepCycle(change(cycle, { events, isFirst: true })));
    expect(must(await goals.find("page"))).toMatchObject({ nextDue: at(5), missedCount: 0 });
    expect(must(await goals.lastCycle("page"))).toEqual(cycle);
    expect(await recorded(opened)).toEqual([
      "goal_scheduled",
      "goal_checks_skipped",
      "goal_checked",
      "goal_cycle_ended",
    ]);
  });

  test("one cycle is open at most, each run is of one cycle, and what has ended or is of no goal is not kept", async () => {
    const opened = await withGoal(await openStore());
    const { goals } = opened;
    must(await goals.keepCycle(change(open("page", 1))));
    expect(must(await goals.open())).toEqual([open("page", 1)]);
    expect(must(await goals.cycleOfRun("run-1"))).toEqual(open("page", 1));
    expect(must(await goals.cycleOfRun("run-2"))).toBeNull();
    expect(await goals.keepCycle(change(open("page", 2)))).toMatchObject({ error: { code: "store_failed" } });
    const ended = cycleOf("page", { repair: { ...REPAIR, runId: "run-1", status: "done" } });
    must(await goals.keepCycle(change(ended)));
    const later = cycleOf("page", { number: 3, repair: { ...REPAIR, runId: "run-1" } });
    for (const cycle of [cycleOf("page", { ended: "failed" }), later, cycleOf("nobody")]) {
      expect(await goals.keepCycle(change(cycle))).toMatchObject({ error: { code: "store_failed" } });
    }
    expect(must(await goals.open())).toEqual([]);
    expect(must(await goals.cycles("page"))).toEqual([ended]);
  });

  test("of looks in which all was well the newest are kept, and every other look for good", async () => {
    const { goals } = await withGoal(await openStore());
    must(await goals.keepCycle(change(cycleOf("page", { number: 1, ended: "failed", reason: "reports_only" }))));
    const last = LIMITS.goalCyclesKept + 6;
    for (let number = 2; number <= last; number += 1) must(await goals.keepCycle(change(cycleOf("page", { number }))));
    const shown = must(await goals.cycles("page"));
    expect(shown).toHaveLength(LIMITS.goalCyclesShown);
    expect(shown[0]).toMatchObject({ number: last });
    expect(must(await goals.lastCycle("page"))).toEqual(shown[0]);
    // The oldest that was well may come again, since nothing of it is left; the one that failed may not.
    must(await goals.keepCycle(change(open("page", 2))));
    expect(await goals.keepCycle(change(cycleOf("page")))).toMatchObject({ error: { code: "store_failed" } });
  });
});
