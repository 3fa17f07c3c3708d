import { instantFromMs, LIMITS, msOfInstant, type Instant, type Result } from "#base";
import { readSchedule, type SkippedTimes, type TimerDue, type TimerSchedule } from "#model";
import { createMutex } from "#ports";
import { planTimer, type DuePlan, type Timetable } from "#work";
import { createAlarm } from "../alarm.ts";
import { createReader, type Outcome, type Reader, type ReaderDeps } from "../queue/reader.ts";
import { msUntil, type Place, type TimerMove, type TimerRow, type TimerTable } from "./table.ts";
import { loadTimetable } from "./timetable.ts";

/** What a timer is for: one of these for each owner that rows name. */
export type TimerOwner = {
  /** `unless_stopped`: while everything is stopped nothing of it is due, and what was due then is missed. */
  readonly runs: "always" | "unless_stopped" | "never";
  readonly handle: (due: TimerDue) => Promise<Outcome>;
  /** Who records skipped times: the owner in words of its own, or the timer. */
  readonly records: "own" | "timer";
  /** Nothing more is due for a key that is busy; the owner wakes the table when it is not any longer. */
  readonly isBusy?: (key: string) => boolean;
  /** When the last run for this key ended. A refusal: it cannot be told now, and the row is tried again later. */
  readonly busyUntil?: (key: string) => Promise<Result<Instant | null, { readonly code: string }>>;
  /** Called whenever the loop is awake, at least once a minute. */
  readonly onWake?: () => Promise<void>;
};
export type TimerOwners = { readonly [owner: string]: TimerOwner };

type TimerLoopDeps = ReaderDeps & {
  readonly table: TimerTable;
  /** The zone of this machine. */
  readonly zoneNow: () => string;
  readonly owners: TimerOwners;
};
type TimerLoop = {
  /** Answers when everything that was due is on the queue. */
  start(): Promise<void>;
  /** Resolves when nothing is due and nothing is handled. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

const AFTER_FAULT_MS = 5_000;
/** What is due and could not be begun is not tried in a circle. */
const AGAIN_MS = 1_000;

type State = TimerLoopDeps & {
  readonly timetables: Map<string, Timetable | null>;
  /** Rows whose owner could not say whether they may run: told of once, and tried whenever the loop is awake. */
  readonly unable: Set<string>;
  isClosed: boolean;
};

/**
 * Sleeps until the nearest row is due, and at most a minute, because clocks are set and machines sleep. Without a due row
 * it writes nothing. What is due is a message from then on; a reader hands it to the owner of the timer.
 */
export function createTimerLoop(deps: TimerLoopDeps): TimerLoop {
  const { table, log } = deps;
  const state: State = { ...deps, timetables: new Map(), unable: new Set(), isClosed: false };
  const reader = createTimerReader(state);
  const inTurn = createMutex();
  const guarded = (work: () => Promise<number | null>): Promise<number | null> =>
    inTurn(() =>
      work().catch((cause: unknown) => {
        log.error("timers_broken", { cause });
        return AFTER_FAULT_MS;
      }),
    );
  const tick = (): Promise<number | null> => guarded(() => tickOnce(state));
  const alarm = createAlarm(deps.timers, tick);
  const setAlarm = (delayMs: number | null): void => {
    if (delayMs !== null && !state.isClosed) alarm.set(delayMs);
  };
  let isWaking = false;
  const wake = async (): Promise<void> => {
    if (isWaking) return;
    isWaking = true;
    setAlarm(
      await guarded(async () => {
        isWaking = false;
        return sleepMs(state);
      }),
    );
  };
  let unsubscribe: (() => void) | null = null;
  return {
    async start() {
      unsubscribe = table.onChanged(() => void wake());
      reader.start();
      setAlarm(await tick());
    },
    async idle() {
      await inTurn(async () => {});
      await reader.idle();
      await inTurn(async () => {});
    },
    async close() {
      state.isClosed = true;
      unsubscribe?.();
      alarm.cancel();
      await inTurn(async () => {});
      await reader.close();
    },
  };
}

/** Owners decide for themselves whether they act while everything is stopped: those that do not are not due then. */
function createTimerReader({ owners, table, log, ...deps }: State): Reader {
  return createReader(
    { ...deps, log, isStopped: async () => false },
    {
      name: "main/timers",
      kinds: ["timer_due"],
      atOnce: LIMITS.timersAtOnce,
      async handle({ message }) {
        const due = message.kind === "timer_due" ? message.payload : null;
        const owner = due === null ? undefined : owners[due.owner];
        if (due === null || owner === undefined) return { how: "hopeless", reason: "not_understood" };
        const outcome = await owner.handle(due);
        if (outcome.how !== "done") return outcome;
        const write = (): void => {
          outcome.write?.();
          if (owner.records === "timer") table.recordSkipped(due, deps.clock.now());
          // The next time of this timer waited for this one.
          table.wakeAfterCommit();
        };
        return { ...outcome, write };
      },
      endDead: async () => {},
      halt: () => {},
    },
  );
}

async function tickOnce(state: State): Promise<number | null> {
  if (state.isClosed) return null;
  disableStrangers(state);
  const active = await activeOwners(state);
  for (const [, { onWake }] of active) await onWake?.();
  await followZone(state);
  await planAnew(state, new Set(active.map(([name]) => name)));
  for (const [name] of active) await fireDue(state, name);
  return sleepMs(state);
}

async function activeOwners({ owners, isStopped }: State): Promise<readonly (readonly [string, TimerOwner])[]> {
  const isRunning = !(await isStopped());
  return Object.entries(owners).filter(([, { runs }]) => runs === "always" || (runs === "unless_stopped" && isRunning));
}

/** How long nothing is due; null once it is closed. */
async function sleepMs(state: State): Promise<number | null> {
  const { table, clock, unable } = state;
  const active = await activeOwners(state);
  if (state.isClosed) return null;
  const at = clock.now();
  const delays = active.flatMap(([name, { isBusy }]) => {
    const next = table.nextDue(name, at);
    const mayRun = ({ key }: TimerRow): boolean => !unable.has(key) && isBusy?.(key) !== true;
    const isDue = duePages(state, name).some((rows) => rows.some(mayRun));
    return [isDue ? AGAIN_MS : null, next === null ? null : msUntil(next, at)].filter((delay) => delay !== null);
  });
  return Math.min(LIMITS.schedulerSleepMs, ...delays);
}

/** Timers of owners that this version does not know, or of a damaged file. */
function disableStrangers({ table, owners, clock, log }: State): void {
  for (let owner = table.ownerAfter(""); owner !== null; owner = table.ownerAfter(owner)) {
    if (owners[owner] !== undefined) continue;
    for (const key of table.keysOf(owner)) {
      log.error("timer_disabled", { timer: key, reason: "owner_unknown" });
      table.disable(key, "owner_unknown", clock.now());
    }
  }
}

/** Timers that move with the machine keep their time of day in the new zone. [TIMER-07] */
async function followZone(state: State): Promise<void> {
  const { table, clock } = state;
  const zones = table.followedZones();
  if (zones.length === 0) return;
  const timeZone = state.zoneNow();
  for (const zone of new Set(zones)) {
    if (zone === timeZone) continue;
    for (const row of table.following(zone)) {
      const timetable = await timetableOf(state, { ...row, time_zone: timeZone });
      const at = clock.now();
      if (timetable === null) disableUnreadable(state, row);
      else {
        // What was due before the machine moved stays due.
        const isDue = row.next_due !== null && row.next_due <= at;
        const nextDue = isDue ? row.next_due : timetable.next(at);
        table.move([{ row, nextDue, settledThrough: row.settled_through, timeZone, due: null }], at);
      }
    }
  }
}

/** Rows that were planned by a clock ahead of this one are not due for long. */
async function planAnew(state: State, active: ReadonlySet<string>): Promise<void> {
  const { table, clock } = state;
  for (let moved = 1; moved > 0;) {
    const ahead = table.plannedAfter(clock.now()).filter(({ owner }) => active.has(owner));
    moved = await moveRows(state, ahead);
  }
}

async function fireDue(state: State, owner: string): Promise<void> {
  for (const rows of duePages(state, owner)) await moveRows(state, rows);
}

/** A page is read when it is asked for: rows that are blocked stay due, and those behind them have their turn. */
function* duePages({ table, clock }: State, owner: string): Generator<readonly TimerRow[], void> {
  const at = clock.now();
  let after: Place = { due: "", key: "" };
  for (let rows = table.due({ owner, at, after }); rows.length > 0; rows = table.due({ owner, at, after })) {
    yield rows;
    const last = rows.at(-1);
    after = { due: last?.next_due ?? "", key: last?.key ?? "" };
  }
}

/** All of them in one commit, which waits for the disk. */
async function moveRows(state: State, rows: readonly TimerRow[]): Promise<number> {
  const moves: TimerMove[] = [];
  for (const row of rows) {
    const move = await moveOf(state, row);
    if (move !== null) moves.push(move);
  }
  if (moves.length === 0 || state.isClosed) return 0;
  state.table.move(moves, state.clock.now());
  return moves.length;
}

async function moveOf(state: State, row: TimerRow): Promise<TimerMove | null> {
  const owner = state.owners[row.owner];
  if (owner === undefined || owner.isBusy?.(row.key) === true) return null;
  const timetable = await timetableOf(state, row);
  if (timetable === null) return disableUnreadable(state, row);
  const busyUntil = (await owner.busyUntil?.(row.key)) ?? { ok: true, value: null };
  if (!busyUntil.ok) return sayUnable(state, row, busyUntil.error);
  state.unable.delete(row.key);
  const facts = {
    timetable,
    nextDue: row.next_due,
    plannedAt: row.planned_at,
    policy: row.policy,
    graceMs: row.grace_ms,
  };
  const plan = planTimer({
    schedule: readSchedule(row.schedule),
    ...facts,
    busyUntil: busyUntil.value,
    at: state.clock.now(),
  });
  return plan.kind === "wait" ? null : { row, nextDue: plan.nextDue, ...settling(row, plan, busyUntil.value) };
}

type Acting = Exclude<DuePlan, { readonly kind: "wait" }>;

function settling(row: TimerRow, plan: Acting, busyUntil: Instant | null): Pick<TimerMove, "settledThrough" | "due"> {
  const about = { key: row.key, owner: row.owner };
  if (plan.kind === "replan") {
    const dueAt = row.settled_through ?? row.planned_at;
    return { settledThrough: null, due: { ...about, how: "replan", dueAt, isMissed: false, skipped: null } };
  }
  const skipped: SkippedTimes | null =
    plan.skipped === null
      ? null
      : { ...plan.skipped, reason: busyUntil !== null && plan.skipped.until <= busyUntil ? "busy" : "missed" };
  if (plan.kind === "check") {
    const isMissed = plan.trigger === "missed";
    return { settledThrough: plan.due, due: { ...about, how: "run", dueAt: plan.due, isMissed, skipped } };
  }
  const { until } = plan.skipped;
  return { settledThrough: until, due: { ...about, how: plan.kind, dueAt: until, isMissed: true, skipped } };
}

function disableUnreadable({ table, clock, log }: State, { key }: TimerRow): null {
  log.error("timer_disabled", { timer: key, reason: "schedule_unreadable" });
  table.disable(key, "schedule_unreadable", clock.now());
  return null;
}

function sayUnable({ unable, log }: State, { key }: TimerRow, error: { readonly code: string }): null {
  if (!unable.has(key)) log.error(error.code, { timer: key, ...error });
  unable.add(key);
  return null;
}

const TIMETABLES_KEPT = 1_000;

/** Null when the schedule cannot be read. */
async function timetableOf({ timetables }: State, { schedule, time_zone }: TimerRow): Promise<Timetable | null> {
  const name = `${time_zone} ${schedule}`;
  const known = timetables.get(name);
  if (known !== undefined) return known;
  const read = readSchedule(schedule);
  const made =
    read.kind === "cron" ? await loadTimetable(read.cron, time_zone ?? "").catch(() => null) : tableFor(read);
  if (timetables.size >= TIMETABLES_KEPT) timetables.clear();
  timetables.set(name, made);
  return made;
}

/** An interval and an instant need no calendar. */
function tableFor(schedule: Exclude<TimerSchedule, { readonly kind: "cron" }>): Timetable {
  if (schedule.kind === "every") {
    const next = (after: Instant): Instant | null => later(after, schedule.minutes);
    return { next, last: () => null };
  }
  const { at } = schedule;
  return { next: (after) => (after < at ? at : null), last: (upTo) => (upTo >= at ? at : null) };
}

function later(after: Instant, minutes: number): Instant | null {
  const made = instantFromMs(msOfInstant(after) + minutes * 60_000);
  return made.ok ? made.value : null;
}
