/**
 * The table `timers`. INVARIANT: a row moves on in the commit that sends its message, and only if nobody moved it since it
 * was read, so that a time is sent once. [TIMER-03]
 */
import { assert, err, LIMITS, msOfInstant, ok, type Instant, type Result } from "#base";
import {
  readSchedule,
  timerDueOf,
  timerKey,
  type AuditDraft,
  type MissedPolicy,
  type QueueMessage,
  type Timer,
  type TimerDue,
  type TimerProblem,
} from "#model";
import type { Database, RecordAct } from "../database.ts";
import { faultFrom } from "../fault.ts";
import { loadTimetable } from "./timetable.ts";

export type TimerRow = {
  readonly key: string;
  readonly owner: string;
  readonly schedule: string;
  readonly time_zone: string | null;
  readonly follows_zone: number;
  readonly policy: MissedPolicy;
  readonly grace_ms: number;
  readonly next_due: Instant | null;
  readonly planned_at: Instant;
  readonly settled_through: Instant | null;
  readonly problem: TimerProblem | null;
};

/** The zone in which cron fields are read, and whether the timer moves with the machine into another one. */
type TimerZone = { readonly timeZone: string; readonly follows: boolean };
export type TimerSetting = {
  readonly key: string;
  readonly owner: string;
  readonly schedule: string;
  /** Null for an interval or an instant. */
  readonly zone: TimerZone | null;
  readonly policy: MissedPolicy;
  readonly graceMs: number;
};
/** With the first time, which the caller has computed. */
type PlannedTimer = TimerSetting & { readonly nextDue: Instant | null };
type TimerRefusal = { readonly code: "schedule_unreadable" };

/** How a row moves on: the message it sends, if any, and what is planned then. */
export type TimerMove = {
  readonly row: TimerRow;
  readonly nextDue: Instant | null;
  readonly settledThrough: Instant | null;
  readonly timeZone?: string;
  readonly due: TimerDue | null;
};

export type Place = { readonly due: string; readonly key: string };

type Parts = {
  readonly db: Database;
  readonly recordAct: RecordAct;
  readonly queue: { send(message: QueueMessage, at: Instant): void };
};
export type TimerTable = ReturnType<typeof createTimerTable>;

/** What is due at a time, in `silas.db`. Methods throw a `Fault` when the database fails. */
export function createTimerTable(parts: Parts) {
  const { db } = parts;
  const listeners = new Set<() => void>();
  const announce = (): void => {
    for (const listener of listeners) listener();
  };
  const change = (work: () => void): void =>
    guard(() => {
      db.transaction(() => ok(work()));
      announce();
    });
  return {
    /** Told after every change, and when an owner is not busy any more. */
    onChanged(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    wake: announce,
    /** Inside a transaction: tells of the change once it is on disk. */
    wakeAfterCommit: (): void => db.afterCommit(announce),
    /** Inside a transaction of another store, so that a timer is there with what it is for. */
    put(setting: PlannedTimer, at: Instant): void {
      put(db, { setting, at });
      db.afterCommit(announce);
    },
    /** Plans another time for a timer, or none. */
    plan({ key, nextDue, at }: { readonly key: string; readonly nextDue: Instant | null; readonly at: Instant }): void {
      db.run("UPDATE timers SET next_due = :nextDue, planned_at = :at WHERE key = :key", { key, nextDue, at });
      db.afterCommit(announce);
    },
    set: (setting: TimerSetting, at: Instant) => set({ db, change }, { setting, at }),
    clear(key: string): void {
      if (guard(() => find(db, key)) === null) return;
      change(() => void db.run("DELETE FROM timers WHERE key = :key", { key }));
    },
    find: (key: string): TimerRow | null => guard(() => find(db, key)),
    /** In order of their keys, a page at most. */
    list: (): readonly Timer[] =>
      guard(() =>
        db.all<TimerRow>("SELECT * FROM timers ORDER BY key LIMIT :limit", { limit: LIMITS.pageRows }).map(timerOf),
      ),
    ...createReads(db),
    move: (moves: readonly TimerMove[], at: Instant): void =>
      change(() => moves.forEach((one) => move(parts, one, at))),
    disable: (key: string, problem: TimerProblem, at: Instant): void =>
      change(() => disable(parts, { key, problem, at })),
    /** Inside a transaction: times of a timer that are not made up for. */
    recordSkipped({ key, skipped }: TimerDue, at: Instant): void {
      if (skipped === null) return;
      parts.recordAct({ event: "timer_skipped", data: { key, ...skipped }, at, actor: { kind: "system" } });
    },
    /** Changes what every timer of an owner has in common. */
    setTerms: (terms: OwnerTerms): void => {
      if (guard(() => db.get(OTHER_TERMS, terms)) !== null) change(() => void db.run(SET_TERMS, terms));
    },
  };
}

type OwnerTerms = {
  readonly owner: string;
  readonly policy: MissedPolicy;
  readonly graceMs: number;
  /** The zone of timers that were made before zones were kept. */
  readonly timeZone: string;
};
const OTHERS = "WHERE owner = :owner AND (policy <> :policy OR grace_ms <> :graceMs OR time_zone IS NULL)";
const OTHER_TERMS = `SELECT key, :timeZone AS zone FROM timers ${OTHERS} LIMIT 1`;
const SET_TERMS = `UPDATE timers SET policy = :policy, grace_ms = :graceMs, time_zone = coalesce(time_zone, :timeZone) ${OTHERS}`;

/** What the loop asks for. Every statement reads an index from one end. */
function createReads(db: Database) {
  return {
    /** Due by now and with no message of theirs under way, from a place on. */
    due: ({ owner, at, after }: { readonly owner: string; readonly at: Instant; readonly after: Place }) =>
      guard(() => db.all<TimerRow>(DUE, { owner, at, due: after.due, key: after.key, limit: LIMITS.leaseBatch })),
    nextDue: (owner: string, at: Instant): Instant | null =>
      guard(() => db.get<Pick<TimerRow, "next_due">>(NEXT, { owner, at })?.next_due ?? null),
    /** Planned by a clock that was ahead of this one. */
    plannedAfter: (at: Instant): readonly TimerRow[] =>
      guard(() => db.all<TimerRow>(PLANNED, { at, limit: LIMITS.leaseBatch })),
    /** The zones of timers that move with the machine: the first and the last by name. */
    followedZones: (): readonly string[] =>
      guard(() => [db.get<ZoneRow>(ZONE_FIRST), db.get<ZoneRow>(ZONE_LAST)].flatMap((row) => row?.time_zone ?? [])),
    following: (timeZone: string): readonly TimerRow[] =>
      guard(() => db.all<TimerRow>(FOLLOWING, { timeZone, limit: LIMITS.leaseBatch })),
    keysOf: (owner: string): readonly string[] =>
      guard(() => db.all<Pick<TimerRow, "key">>(OF_OWNER, { owner, limit: LIMITS.pageRows }).map(({ key }) => key)),
    /** The next owner by name that has timers. */
    ownerAfter: (owner: string): string | null =>
      guard(() => db.get<Pick<TimerRow, "owner">>(NEXT_OWNER, { owner })?.owner ?? null),
  };
}

type ZoneRow = Pick<TimerRow, "time_zone">;
const DUE = `SELECT * FROM timers t WHERE owner = :owner AND next_due <= :at AND (next_due, key) > (:due, :key)
  AND NOT EXISTS (SELECT 1 FROM queue q WHERE q.order_key = 'runtime_queue:' || t.key)
  ORDER BY next_due, key LIMIT :limit`;
const NEXT = "SELECT next_due FROM timers WHERE owner = :owner AND next_due > :at ORDER BY next_due LIMIT 1";
const PLANNED = "SELECT * FROM timers WHERE next_due IS NOT NULL AND planned_at > :at ORDER BY planned_at LIMIT :limit";
const ZONE_FIRST = "SELECT time_zone FROM timers WHERE follows_zone = 1 ORDER BY time_zone LIMIT 1";
const ZONE_LAST = "SELECT time_zone FROM timers WHERE follows_zone = 1 ORDER BY time_zone DESC LIMIT 1";
const FOLLOWING = "SELECT * FROM timers WHERE follows_zone = 1 AND time_zone = :timeZone LIMIT :limit";
const OF_OWNER = "SELECT key FROM timers WHERE owner = :owner AND next_due IS NOT NULL LIMIT :limit";
const NEXT_OWNER = "SELECT owner FROM timers WHERE owner > :owner ORDER BY owner LIMIT 1";

const find = (db: Database, key: string): TimerRow | null =>
  db.get<TimerRow>("SELECT * FROM timers WHERE key = :key", { key });

type Setting<S> = { readonly setting: S; readonly at: Instant };

/** Nothing is written for a timer that is as it should be, and its calendar is not loaded. */
async function set(
  { db, change }: { readonly db: Database; readonly change: (work: () => void) => void },
  { setting, at }: Setting<TimerSetting>,
): Promise<Result<void, TimerRefusal>> {
  const found = guard(() => find(db, setting.key));
  const { policy, graceMs } = setting;
  if (found !== null && isSameTime(found, setting)) {
    if (found.policy === policy && found.grace_ms === graceMs) return ok();
    const { key } = setting;
    change(
      () =>
        void db.run("UPDATE timers SET policy = :policy, grace_ms = :graceMs WHERE key = :key", {
          key,
          policy,
          graceMs,
        }),
    );
    return ok();
  }
  const nextDue = await firstDue(setting, at);
  if (!nextDue.ok) return nextDue;
  change(() => put(db, { setting: { ...setting, nextDue: nextDue.value }, at }));
  return ok();
}

/** A timer that moves with the machine is moved by the loop, which knows what was due before. */
function isSameTime(found: TimerRow, { schedule, zone }: TimerSetting): boolean {
  if (found.problem !== null || found.schedule !== schedule) return false;
  // An instant that passed may be set once more.
  if (zone === null && found.next_due === null) return false;
  return (zone?.follows === true && found.follows_zone === 1) || found.time_zone === (zone?.timeZone ?? null);
}

/** An interval begins with a run. */
async function firstDue({ schedule, zone }: TimerSetting, at: Instant): Promise<Result<Instant | null, TimerRefusal>> {
  const read = readSchedule(schedule);
  if (read.kind === "every") return ok(at);
  if (read.kind === "once") return ok(read.at);
  try {
    return ok((await loadTimetable(read.cron, zone?.timeZone ?? "")).next(at));
  } catch {
    return err({ code: "schedule_unreadable" });
  }
}

function put(db: Database, { setting, at }: Setting<PlannedTimer>): void {
  const { key, owner, schedule, zone, policy, graceMs, nextDue } = setting;
  assert(timerKey.safeParse(key).success && key.startsWith(`${owner}:`), "the key of a timer begins with its owner");
  db.run(
    `INSERT INTO timers (key, owner, schedule, time_zone, follows_zone, policy, grace_ms, next_due, planned_at)
     VALUES (:key, :owner, :schedule, :timeZone, :follows, :policy, :graceMs, :nextDue, :at)
     ON CONFLICT (key) DO UPDATE SET owner = :owner, schedule = :schedule, time_zone = :timeZone, follows_zone = :follows,
       policy = :policy, grace_ms = :graceMs, next_due = :nextDue, planned_at = :at, problem = NULL`,
    {
      key,
      owner,
      schedule,
      policy,
      graceMs,
      nextDue,
      at,
      timeZone: zone?.timeZone ?? null,
      follows: zone?.follows === true ? 1 : 0,
    },
  );
}

/** Nothing is sent for a row that was changed since it was read. */
function move({ db, queue }: Parts, { row, nextDue, settledThrough, timeZone, due }: TimerMove, at: Instant): void {
  const moved = db.run(
    `UPDATE timers SET next_due = :nextDue, planned_at = :at, settled_through = :settledThrough, time_zone = :timeZone
     WHERE key = :key AND next_due IS :readDue AND planned_at = :readAt AND schedule = :schedule`,
    {
      key: row.key,
      nextDue,
      at,
      settledThrough,
      schedule: row.schedule,
      timeZone: timeZone ?? row.time_zone,
      readDue: row.next_due,
      readAt: row.planned_at,
    },
  );
  if (moved === 1 && due !== null) queue.send(timerDueOf(due, at), at);
}

type Disabling = { readonly key: string; readonly problem: TimerProblem; readonly at: Instant };

function disable({ db, recordAct }: Parts, { key, problem, at }: Disabling): void {
  const disabled = db.run("UPDATE timers SET next_due = NULL, problem = :problem WHERE key = :key", { key, problem });
  if (disabled === 0) return;
  const draft: AuditDraft = {
    event: "timer_disabled",
    data: { key, reason: problem },
    at,
    actor: { kind: "system" },
  };
  recordAct(draft);
}

const MINUTE_MS = 60_000;
const timerOf = (row: TimerRow): Timer => ({
  key: row.key,
  owner: row.owner,
  schedule: row.schedule,
  timeZone: row.time_zone,
  policy: row.policy,
  graceMinutes: row.grace_ms / MINUTE_MS,
  nextDue: row.next_due,
  settledThrough: row.settled_through,
  problem: row.problem,
});

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw faultFrom(cause);
  }
}

/** How long until a time, and never less than nothing. */
export const msUntil = (due: Instant, at: Instant): number => Math.max(0, msOfInstant(due) - msOfInstant(at));
