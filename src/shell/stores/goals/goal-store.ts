import { LIMITS, ok, type Instant } from "#base";
import type { TimerTable } from "#engine";
import { cycleSchema, cycleToWire, isPlainCycle, type Cycle, type KeptGoal } from "#model";
import type { CycleChange, GoalLeaving, GoalNoting, GoalPausing, GoalScheduling, GoalStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue, readable, whole, wholeJson } from "../store-fault.ts";
import { APPROVED_GOALS, approvedOf, type ApprovedRow } from "./approved-rows.ts";
import { cycleDrafts, leftDraft, noteDrafts, pausedDraft, scheduledDraft } from "./drafts.ts";

type GoalStoreParts = {
  readonly db: Sqlite;
  readonly recordAct: RecordAct;
  readonly timers: Pick<TimerTable, "put" | "plan">;
};

const GOALS = `SELECT g.*, t.time_zone, t.next_due FROM goals g LEFT JOIN timers t ON t.key = 'goal:' || g.goal_id`;

/** Goals and cycles on a migrated `silas.db`. Every change is one transaction with its audit entries. */
export function createGoalStore(parts: GoalStoreParts): GoalStore {
  const { db } = parts;
  return {
    approved: async () => guardedValue(() => db.all<ApprovedRow>(`${APPROVED_GOALS} ORDER BY goal_id`).map(approvedOf)),
    list: async () =>
      guardedValue(() =>
        db.all<GoalRow>(`${GOALS} ORDER BY g.goal_id LIMIT :limit`, { limit: LIMITS.goalsMax }).map(goalOf),
      ),
    find: async (goalId) =>
      guardedValue(() => {
        const row = db.get<GoalRow>(`${GOALS} WHERE g.goal_id = :goalId`, { goalId });
        return row === null ? null : goalOf(row);
      }),
    schedule: async (scheduling) => guarded(() => db.transaction(() => ok(schedule(parts, scheduling)))),
    pause: async (pausing) => guarded(() => db.transaction(() => ok(pause(parts, pausing)))),
    leave: async (leaving) => guarded(() => db.transaction(() => ok(leave(parts, leaving)))),
    note: (noting) => note(parts, noting),
    keepCycle: async (change) => guarded(() => db.transaction(() => ok(keepCycle(parts, change)))),
    open: async () =>
      guardedValue(() =>
        readable(
          db.all<CycleRow>(
            "SELECT record FROM goal_cycles INDEXED BY goal_cycles_open WHERE ended_at IS NULL ORDER BY goal_id",
          ),
          cycleOf,
        ),
      ),
    lastCycle: async (goalId) => guardedValue(() => newestOf(db, { goalId, limit: 1 }).map(cycleOf)[0] ?? null),
    cycles: async (goalId) =>
      guardedValue(() => readable(newestOf(db, { goalId, limit: LIMITS.goalCyclesShown }), cycleOf)),
    cycleOfRun: async (runId) =>
      guardedValue(() => {
        const row = db.get<CycleRow>("SELECT record FROM goal_cycles WHERE run_id = :runId", { runId });
        return row === null ? null : cycleOf(row);
      }),
  };
}

type GoalRow = ApprovedRow & {
  readonly time_zone: string | null;
  readonly is_paused: number;
  readonly next_due: string | null;
  readonly missed_count: number;
};
type CycleRow = { readonly record: string };

const goalOf = (row: GoalRow): KeptGoal => ({
  ...approvedOf(row),
  timeZone: row.time_zone,
  isPaused: row.is_paused === 1,
  nextDue: row.next_due as Instant | null,
  missedCount: row.missed_count,
});

export function cycleOf({ record }: CycleRow): Cycle {
  const kept = "GOAL-01 a kept cycle is whole";
  return whole(cycleSchema.safeParse(wholeJson(record, kept)).data, kept);
}

type Newest = { readonly goalId: string; readonly limit: number };
const newestOf = (db: Sqlite, { goalId, limit }: Newest): readonly CycleRow[] =>
  db.all<CycleRow>("SELECT record FROM goal_cycles WHERE goal_id = :goalId ORDER BY number DESC LIMIT :limit", {
    goalId,
    limit,
  });

const timerOf = (goalId: string): string => `goal:${goalId}`;

/** A pause outlives a new approval: the goal stays without a time. */
function schedule({ db, recordAct, timers }: GoalStoreParts, { goal, timer, at }: GoalScheduling): void {
  const { goalId, requestId, tokenId, runId, planHash } = goal;
  const row = db.get<Pick<GoalRow, "is_paused">>(
    `INSERT INTO goals (goal_id, request_id, token_id, run_id, plan_hash, is_paused, missed_count)
     VALUES (:goalId, :requestId, :tokenId, :runId, :planHash, 0, 0)
     ON CONFLICT (goal_id) DO UPDATE SET request_id = :requestId, token_id = :tokenId, run_id = :runId,
       plan_hash = :planHash RETURNING is_paused`,
    { goalId, requestId, tokenId, runId, planHash },
  );
  const isPaused = row?.is_paused === 1;
  if (timer === null) timers.plan({ key: timerOf(goalId), nextDue: null, at });
  else {
    const { timeZone, nextDue, ...terms } = timer;
    const zone = { timeZone, follows: false };
    timers.put({ key: timerOf(goalId), owner: "goal", ...terms, zone, nextDue: isPaused ? null : nextDue }, at);
  }
  recordAct(scheduledDraft(goal, at));
}

function pause({ db, recordAct, timers }: GoalStoreParts, pausing: GoalPausing): void {
  const { goalId, state, nextDue, at } = pausing;
  db.run("UPDATE goals SET is_paused = :isPaused, missed_count = 0 WHERE goal_id = :goalId", {
    goalId,
    isPaused: state === "paused" ? 1 : 0,
  });
  timers.plan({ key: timerOf(goalId), nextDue, at });
  recordAct(pausedDraft(pausing));
}

function leave({ db, recordAct }: GoalStoreParts, leaving: GoalLeaving): void {
  db.run("UPDATE goals SET missed_count = 0 WHERE goal_id = :goalId", { goalId: leaving.goalId });
  recordAct(leftDraft(leaving));
}

function note({ db, recordAct }: GoalStoreParts, { goalId, missedCount, notes, at }: GoalNoting): void {
  setMissed(db, { goalId, missedCount });
  for (const draft of noteDrafts({ goalId, notes, at })) recordAct(draft);
}

function setMissed(db: Sqlite, missed: Pick<GoalNoting, "goalId" | "missedCount">): void {
  db.run("UPDATE goals SET missed_count = :missedCount WHERE goal_id = :goalId", { ...missed });
}

function keepCycle({ db, recordAct }: GoalStoreParts, change: CycleChange): void {
  const { cycle, isFirst, notes, at } = change;
  const { goalId, number, repair, endedAt } = cycle;
  db.run(
    `INSERT INTO goal_cycles (goal_id, number, run_id, record, is_plain, ended_at)
     VALUES (:goalId, :number, :runId, :record, :isPlain, :endedAt)
     ON CONFLICT (goal_id, number) DO UPDATE SET run_id = :runId, record = :record, is_plain = :isPlain, ended_at = :endedAt`,
    {
      goalId,
      number,
      runId: repair?.runId ?? null,
      record: JSON.stringify(cycleToWire(cycle)),
      isPlain: isPlainCycle(cycle) ? 1 : 0,
      endedAt,
    },
  );
  if (isFirst) setMissed(db, { goalId, missedCount: 0 });
  for (const draft of cycleDrafts(change)) recordAct(draft);
  for (const draft of noteDrafts({ goalId, notes, at })) recordAct(draft);
  forgetPlain(db, goalId);
}

/** Looks in which all was well are kept up to a number; the chain has each of them. */
function forgetPlain(db: Sqlite, goalId: string): void {
  db.run(
    `DELETE FROM goal_cycles WHERE goal_id = :goalId AND is_plain = 1 AND number <= (
       SELECT number FROM goal_cycles INDEXED BY goal_cycles_plain WHERE goal_id = :goalId AND is_plain = 1
       ORDER BY number DESC LIMIT 1 OFFSET :kept)`,
    { goalId, kept: LIMITS.goalCyclesKept },
  );
}
