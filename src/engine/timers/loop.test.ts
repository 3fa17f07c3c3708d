import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { instantFromMs, LIMITS, msOfInstant, sha256Hex, type Instant } from "#base";
import { everyMinutes, type TimerDue } from "#model";
import { createAuditRules } from "#policy";
import { createSeeded, createVirtualClock, createVirtualTimers } from "#sim";
import { openRuntime } from "#stores";
import { DONE, UNUSED, type Outcome } from "../queue/reader.ts";
import { createTimerLoop, type TimerOwner } from "./loop.ts";
import type { TimerSetting } from "./table.ts";

const START_MS = Date.UTC(2026, 10, 16, 9);
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const bus = { leaseSeconds: 60, heartbeatSeconds: 20, deliveriesMax: 5 };

/** A real file, and a clock that passes when it is told to. */
async function openScene(opening: { readonly dataDir?: string; readonly atMs?: number } = {}) {
  const dataDir = opening.dataDir ?? mkdtempSync(join(tmpdir(), "silas-timers-"));
  const clock = createVirtualClock(opening.atMs ?? START_MS);
  const timers = createVirtualTimers(clock);
  const auditRules = createAuditRules(sha256Hex);
  const statements: string[] = [];
  const onRuntimeStatement = (sql: string): void => void statements.push(sql);
  const opened = await openRuntime({ dataDir, clock, random: createSeeded(1), auditRules, onRuntimeStatement });
  if (!opened.ok) throw new Error(opened.error.code);
  const stores = opened.value;
  const logged: string[] = [];
  const note = (event: string): void => void logged.push(event);
  const log = { info: note, warn: note, error: note };
  const handled: TimerDue[] = [];
  let zone = "Europe/Berlin";
  let isStopped = false;
  let outcome: Outcome = DONE;
  const owner: TimerOwner = {
    runs: "unless_stopped",
    records: "timer",
    handle: async (due) => {
      handled.push(due);
      return outcome;
    },
  };
  const loop = createTimerLoop({
    table: stores.timers,
    queue: stores.queue,
    clock,
    timers,
    log,
    bus,
    isStopped: async () => isStopped,
    zoneNow: () => zone,
    owners: { test: owner },
  });
  const close = async (): Promise<void> => {
    await loop.close();
    stores.close();
  };
  onTestFinished(async () => {
    await close().catch(() => {});
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    dataDir,
    clock,
    stores,
    loop,
    handled,
    logged,
    statements,
    close,
    answer: (given: Outcome) => void (outcome = given),
    stop: (value: boolean) => void (isStopped = value),
    moveTo: (timeZone: string) => void (zone = timeZone),
    async set(over: Partial<TimerSetting> = {}) {
      const done = await stores.timers.set({ ...SETTING, ...over }, clock.now());
      await loop.idle();
      return done;
    },
    /** Lets one timer of the machine ring, and waits for what follows. */
    async ring(withinMs: number = LIMITS.schedulerSleepMs): Promise<boolean> {
      const rang = timers.next(msOfInstant(clock.now()) + withinMs);
      await expect.poll(() => timers.isArmed(), { interval: 1 }).toBe(true);
      await loop.idle();
      return rang;
    },
  };
}
type Scene = Awaited<ReturnType<typeof openScene>>;

const SETTING: TimerSetting = {
  key: "test:one",
  owner: "test",
  schedule: "0 * * * *",
  zone: { timeZone: "Europe/Berlin", follows: false },
  policy: "once",
  graceMs: 300_000,
};

const start = async (scene: Scene): Promise<void> => {
  await scene.loop.start();
  await scene.loop.idle();
};
async function events({ stores }: Scene, wanted: string): Promise<readonly object[]> {
  const entries = await stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 });
  return entries.ok ? entries.value.toReversed().flatMap(({ event, data }) => (event === wanted ? [data] : [])) : [];
}
const rows = ({ stores }: Scene) => stores.timers.list();
const at = (ms: number): Instant => {
  const made = instantFromMs(ms);
  if (!made.ok) throw new Error("no instant");
  return made.value;
};
const isWrite = (sql: string): boolean => /^\s*(INSERT|UPDATE|DELETE|BEGIN)/i.test(sql);

describe("the timer", () => {
  test("[TIMER-02] wakes for the nearest row, hands it to its owner once, and writes nothing while nothing is due", async () => {
    const scene = await openScene();
    expect((await scene.set()).ok).toBe(true);
    await start(scene);
    scene.statements.length = 0;
    for (let minutes = 0; minutes < 59; minutes += 1) await scene.ring();
    expect(scene.statements.filter(isWrite)).toEqual([]);
    expect(scene.handled).toEqual([]);
    await scene.ring();
    const due = { key: "test:one", owner: "test", how: "run", dueAt: "2026-11-16T10:00:00.000Z", isMissed: false };
    expect(scene.handled).toEqual([{ ...due, skipped: null }]);
    expect(rows(scene)).toMatchObject([
      { nextDue: "2026-11-16T11:00:00.000Z", settledThrough: "2026-11-16T10:00:00.000Z" },
    ]);
    await scene.set({ key: "test:two", schedule: "2026-11-16T10:00:30.000Z", zone: null });
    expect(await scene.ring(31_000)).toBe(true);
    expect(scene.handled.at(-1)).toMatchObject({ key: "test:two", dueAt: "2026-11-16T10:00:30.000Z" });
    expect(rows(scene)[1]).toMatchObject({ key: "test:two", nextDue: null });
  });

  test.each([
    ["once", 1, 0],
    ["skip", 0, 1],
    ["ask", 0, 1],
    ["all", 1, 0],
  ] as const)("[TIMER-04] [TIMER-06] a clock that jumps a year forward: %s", async (policy, runs, passed) => {
    const scene = await openScene();
    await scene.set({ policy });
    await start(scene);
    scene.clock.moveMs(YEAR_MS + 30 * 60_000);
    for (let turns = 0; turns < 5; turns += 1) await scene.ring();
    expect(scene.handled.filter(({ how }) => how === "run")).toHaveLength(runs);
    expect(scene.handled.filter(({ how }) => how === "skip" || how === "ask")).toHaveLength(passed);
    // More than a limit are not made up for one by one, also with the policy for all of them.
    expect(scene.handled[0]?.skipped).toMatchObject({ count: LIMITS.duesCounted, since: "2026-11-16T10:00:00.000Z" });
    expect(await events(scene, "timer_skipped")).toMatchObject([{ key: "test:one", count: LIMITS.duesCounted }]);
    expect((rows(scene)[0]?.nextDue ?? "") > scene.clock.now()).toBe(true);
  });

  test("[TIMER-04] with the policy for all of them each missed time is run, one after the other", async () => {
    const scene = await openScene();
    await scene.set({ policy: "all" });
    await start(scene);
    scene.clock.moveMs(3.5 * 3_600_000);
    for (let turns = 0; turns < 6; turns += 1) await scene.ring();
    expect(scene.handled.map(({ dueAt }) => dueAt.slice(11, 16))).toEqual(["10:00", "11:00", "12:00"]);
  });

  test("[TIMER-05] [TIMER-06] a clock that is set back a year plans every row anew, and an interval goes on", async () => {
    const before = await openScene();
    await before.set();
    await before.set({ key: "test:every", schedule: everyMinutes(10), zone: null, graceMs: 0 });
    await start(before);
    before.clock.moveMs(3_600_000);
    await before.ring();
    await before.close();
    const scene = await openScene({ dataDir: before.dataDir, atMs: START_MS - YEAR_MS });
    await start(scene);
    const replanned = scene.handled.filter(({ how }) => how === "replan").map(({ key }) => key);
    expect(replanned.toSorted()).toEqual(["test:every", "test:one"]);
    const nowMs = msOfInstant(scene.clock.now());
    const [every = 0, one = 0] = rows(scene).map(({ nextDue }) =>
      nextDue === null ? 0 : msOfInstant(nextDue) - nowMs,
    );
    expect([every > 0 && every <= 600_000, one > 0 && one <= 3_600_000]).toEqual([true, true]);
    scene.handled.length = 0;
    for (let minutes = 0; minutes < 61; minutes += 1) await scene.ring();
    expect(scene.handled.filter(({ key }) => key === "test:one")).toMatchObject([{ how: "run" }]);
  });

  test("[TIMER-07] a row that follows the machine keeps its time of day in another zone; a row with its own zone stays", async () => {
    const scene = await openScene();
    const daily = { schedule: "0 18 * * *" };
    await scene.set({ ...daily, zone: { timeZone: "Europe/Berlin", follows: true } });
    await scene.set({ ...daily, key: "test:stays" });
    await start(scene);
    expect(rows(scene).map(({ nextDue }) => nextDue?.slice(11, 16))).toEqual(["17:00", "17:00"]);
    scene.moveTo("Asia/Tokyo");
    await scene.ring();
    expect(rows(scene)).toMatchObject([
      { timeZone: "Asia/Tokyo", nextDue: "2026-11-17T09:00:00.000Z" },
      { timeZone: "Europe/Berlin", nextDue: "2026-11-16T17:00:00.000Z" },
    ]);
  });

  test("what is due while everything is stopped is missed, and an owner that is busy has nothing due", async () => {
    const scene = await openScene();
    await scene.set({ policy: "skip" });
    await start(scene);
    scene.stop(true);
    scene.clock.moveMs(3_600_000);
    await scene.ring();
    expect(scene.handled).toEqual([]);
    scene.stop(false);
    scene.clock.moveMs(30 * 60_000);
    await scene.ring();
    expect(scene.handled).toMatchObject([{ how: "skip", skipped: { count: 1, reason: "missed" } }]);
  });
});

test("what all timers of an owner have in common changes in one write, and in none where nothing differs", async () => {
  const scene = await openScene();
  await scene.set();
  const terms = { owner: "test", policy: "skip", graceMs: 1_000, timeZone: "Europe/Vienna" } as const;
  scene.stores.timers.setTerms(terms);
  expect(scene.stores.timers.find("test:one")).toMatchObject({ policy: "skip", grace_ms: 1_000 });
  scene.statements.length = 0;
  scene.stores.timers.setTerms(terms);
  expect(scene.statements.filter(isWrite)).toEqual([]);
});

describe("bad rows", () => {
  test("an unreadable schedule or zone is refused when it is set", async () => {
    const scene = await openScene();
    const refused = { ok: false, error: { code: "schedule_unreadable" } };
    expect(await scene.set({ schedule: "61 * * * *" })).toEqual(refused);
    expect(await scene.set({ schedule: "now and then" })).toEqual(refused);
    expect(await scene.set({ zone: { timeZone: "Moon/Crater", follows: false } })).toEqual(refused);
    expect(rows(scene)).toEqual([]);
  });

  test("an unreadable schedule and an unknown owner that are found are disabled with a record, and the others go on", async () => {
    const scene = await openScene();
    for (const key of ["test:bad", "test:good", "test:gone"]) await scene.set({ key });
    const file = new DatabaseSync(join(scene.dataDir, "silas.db"));
    file.exec("UPDATE timers SET schedule = 'nonsense' WHERE key = 'test:bad'");
    file.exec("UPDATE timers SET owner = 'agent' WHERE key = 'test:gone'");
    file.close();
    scene.clock.moveMs(3_600_000);
    await start(scene);
    await scene.ring();
    expect(scene.handled.map(({ key }) => key)).toEqual(["test:good"]);
    expect(await events(scene, "timer_disabled")).toEqual([
      { key: "test:gone", reason: "owner_unknown" },
      { key: "test:bad", reason: "schedule_unreadable" },
    ]);
    expect(rows(scene).map(({ problem, nextDue }) => [problem, nextDue === null])).toEqual([
      ["schedule_unreadable", true],
      ["owner_unknown", true],
      [null, false],
    ]);
    // Set again by its owner, it is used again.
    expect((await scene.set({ key: "test:bad" })).ok).toBe(true);
    expect(rows(scene)[0]).toMatchObject({ problem: null, nextDue: "2026-11-16T11:00:00.000Z" });
  });
});

describe("a process that ends", () => {
  test("[TIMER-03] between due and enqueue loses nothing, and between enqueue and handling runs it once", async () => {
    const first = await openScene();
    await first.set();
    await first.close();
    // It ended before it woke.
    const second = await openScene({ dataDir: first.dataDir, atMs: START_MS + 3_600_000 });
    second.answer(UNUSED);
    await start(second);
    expect(second.handled).toHaveLength(1);
    expect(rows(second)).toMatchObject([{ settledThrough: "2026-11-16T10:00:00.000Z" }]);
    await second.close();
    // It ended while the owner had not acted yet: the message is still there.
    const third = await openScene({ dataDir: first.dataDir, atMs: START_MS + 3_660_000 });
    await start(third);
    expect(third.handled).toMatchObject([{ how: "run", dueAt: "2026-11-16T10:00:00.000Z" }]);
    await third.ring();
    await third.close();
    const fourth = await openScene({ dataDir: first.dataDir, atMs: START_MS + 3_720_000 });
    await start(fourth);
    expect(fourth.handled).toEqual([]);
  });

  test("[TIMER-03] a commit that fails moves no row and sends no message", async () => {
    const scene = await openScene();
    await scene.set();
    const file = new DatabaseSync(join(scene.dataDir, "silas.db"));
    file.exec("CREATE TRIGGER full BEFORE INSERT ON queue BEGIN SELECT RAISE(ABORT, 'full'); END");
    scene.clock.moveMs(3_600_000);
    await start(scene);
    expect(scene.logged).toContain("timers_broken");
    expect(rows(scene)).toMatchObject([{ nextDue: "2026-11-16T10:00:00.000Z", settledThrough: null }]);
    file.exec("DROP TRIGGER full");
    file.close();
    await scene.ring();
    expect(scene.handled).toHaveLength(1);
  });
});

test("ten thousand rows cost a waking loop a few reads, and those that are due have their turn", async () => {
  const scene = await openScene();
  const file = new DatabaseSync(join(scene.dataDir, "silas.db"));
  const insert = file.prepare(
    `INSERT INTO timers (key, owner, schedule, follows_zone, policy, grace_ms, next_due, planned_at)
     VALUES (?, 'test', ?, 0, 'once', 0, ?, ?)`,
  );
  file.exec("BEGIN");
  for (let index = 0; index < 10_000; index += 1) {
    const due = at(START_MS + (index < 200 ? 60_000 : DAY_MS));
    insert.run(`test:row-${index}`, due, due, at(START_MS));
  }
  file.exec("COMMIT");
  file.close();
  scene.statements.length = 0;
  await start(scene);
  expect(scene.statements.length).toBeLessThan(30);
  await scene.ring();
  await expect.poll(() => scene.handled.length, { interval: 1 }).toBe(200);
  expect(new Set(scene.handled.map(({ key }) => key)).size).toBe(200);
});
