import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { msOfInstant } from "#base";
import { decidedIdOf, decidedOf, orderKeyOf, queueMessageText } from "#model";
import { createMemoryVault } from "#stores";
import { answerTo, BY, RUNTIME_FILE } from "./approval-world.ts";
import { inWorld, type World } from "./disk-run.ts";
import { QUEUE_STATES } from "./two-workers/queue-states.ts";
import { createVirtualTimers } from "./seeded.ts";
import {
  closeWork,
  grantPlan,
  heldProgram,
  INSIDE,
  NEVER_DUE,
  openWork,
  OUTSIDE,
  playSandboxes,
  settleAll,
  statusOf,
  until,
  type Script,
  type Working,
} from "./work-world.ts";

type Scene = Working & {
  readonly world: World;
  readonly database: DatabaseSync;
  readonly ran: readonly string[];
  /** Lets time pass until the next thing is due that waits for it. */
  readonly nextTimer: () => boolean;
};
type Setting = { readonly script?: Script; readonly onStatement?: (sql: string) => void };

const MINUTE_MS = 60_000;

/** Work on a real file and by a virtual clock; a second process over the same file is another `again`. */
const inScene = (setting: Setting, look: (scene: Scene, again: () => Promise<Scene>) => Promise<void>): Promise<void> =>
  inWorld(11, async (world) => {
    const vault = createMemoryVault();
    const dataDir = join(world.root, "data");
    let last: Scene | null = null;
    const leave = async (): Promise<void> => {
      last?.database.close();
      if (last !== null) await closeWork(last);
      last = null;
    };
    const open = async (): Promise<Scene> => {
      await leave();
      const sandboxes = playSandboxes(join(world.root, "spaces"), setting.script);
      const timers = createVirtualTimers(world.clock);
      const scheduling = { ...NEVER_DUE, timers };
      const { onStatement } = setting;
      const given = { dataDir, vault, sandboxes, scheduling, ...(onStatement !== undefined && { onStatement }) };
      const working = await openWork(world, given);
      const database = new DatabaseSync(join(dataDir, RUNTIME_FILE));
      const nextTimer = (): boolean => timers.next(msOfInstant(world.clock.now()) + 10 * MINUTE_MS);
      last = { ...working, world, database, ran: sandboxes.ran, nextTimer };
      return last;
    };
    try {
      await look(await open(), open);
    } finally {
      await leave();
    }
  });

type Row = {
  readonly message_id: string;
  readonly state: string;
  readonly deliveries: number;
  readonly reason: string | null;
};
const rowsIn = ({ database }: Scene): readonly Row[] =>
  database
    .prepare(
      `SELECT message_id, state, deliveries, reason FROM ${QUEUE_STATES} WHERE kind <> 'timer_due' ORDER BY position`,
    )
    .all()
    .map((row) => ({ ...row }) as Row);
const countOf = ({ database }: Scene, sql: string): number => Number(database.prepare(sql).get()?.["n"]);

const KILL_ALL = `INSERT INTO dead_messages (message_id, kind, order_key, deliveries, reason, dead_at, message)
    SELECT message_id, kind, order_key, 5, 'handling_failed', '2026-11-01T00:00:00.000Z', message FROM queue;
  DELETE FROM queue`;

/** As somebody who has the file, or a mistake of ours, would do it. */
function putIn({ database }: Scene, runId: string): void {
  const message = decidedOf({
    requestId: "request",
    kind: "plan_approval",
    at: "2026-01-01T00:00:00.000Z" as never,
    actor: BY,
    run: { runId, workItemId: "task-steps" },
  });
  const text = queueMessageText(message);
  if (!text.ok) throw new Error(text.error.code);
  database
    .prepare("INSERT INTO queue (message_id, kind, order_key, ready_at, message) VALUES (?, 'decided', ?, '', ?)")
    .run(message.id, orderKeyOf(message), text.value);
  database.exec("INSERT OR REPLACE INTO sent_messages (message_id, position) SELECT message_id, position FROM queue");
}

test("[WORK-06] [FLOW-06] the queue is the only way to a run: what is granted and not on it does not begin, and what is begins once", async () => {
  await inScene({}, async (scene) => {
    const lost = await grantPlan(scene, INSIDE.replace("task-steps", "task-lost"));
    const runId = await grantPlan(scene, INSIDE);
    expect(rowsIn(scene)).toMatchObject([{ message_id: decidedIdOf(lost) }, { message_id: decidedIdOf(runId) }]);
    scene.database.exec(`DELETE FROM queue WHERE message_id = '${decidedIdOf(lost)}'`);
    await scene.work.start();
    await until(async () => (await statusOf(scene, runId)) === "done");
    await scene.work.runGranted(lost);
    expect(await statusOf(scene, lost)).toBe("pending");
    expect(countOf(scene, "SELECT count(*) AS n FROM work_runs")).toBe(1);
    expect(rowsIn(scene)).toEqual([]);
  });
});

test("[FLOW-06] an approval and its dispatch are one commit: whatever statement of it fails, neither is there", async () => {
  let failingAt: number | null = null;
  let seen = 0;
  const onStatement = (): void => {
    seen += 1;
    if (seen === failingAt) throw FULL;
  };
  await inScene({ onStatement }, async (scene) => {
    const proposed = await scene.trust.approvals.propose(INSIDE, BY);
    if (!proposed.ok) throw new Error(proposed.error.code);
    const { request } = proposed.value;
    for (let at = 1, isApproved = false; !isApproved; at += 1) {
      [seen, failingAt] = [0, at];
      isApproved = (await scene.trust.approvals.decide(answerTo(request, "approved"))).ok;
      failingAt = null;
      expect(rowsIn(scene)).toHaveLength(isApproved ? 1 : 0);
      expect(countOf(scene, "SELECT count(*) AS n FROM approval_uses")).toBe(isApproved ? 1 : 0);
    }
  });
});

test("[WORK-06] [BUS-01] a message authorises nothing: one about what nobody granted begins nothing, and is set aside after five deliveries", async () => {
  await inScene({}, async (scene) => {
    putIn(scene, "run-nobody-granted");
    await scene.work.start();
    await until(() => {
      scene.nextTimer();
      return rowsIn(scene)[0]?.state === "dead";
    });
    expect(rowsIn(scene)).toMatchObject([{ deliveries: 5, reason: "grant_missing" }]);
    expect(countOf(scene, "SELECT count(*) AS n FROM work_runs")).toBe(0);
    expect(scene.ran).toEqual([]);
    expect(countOf(scene, "SELECT count(*) AS n FROM audit_entries WHERE event = 'message_dead'")).toBe(1);
  });
});

test("[WSTORE-06] [BUS-15] [BUS-18] a dispatch that comes again changes nothing, whether its run ended, runs, or rests", async () => {
  await inScene({}, async (scene, again) => {
    const runId = await grantPlan(scene, OUTSIDE);
    await scene.work.runGranted(runId);
    const paused = await grantPlan(scene, OUTSIDE.replace("task-steps", "task-paused"));
    expect((await scene.work.pause(paused, BY)).ok).toBe(true);
    const before = scene.database.prepare("SELECT record FROM work_runs WHERE run_id = ?").get(runId);
    // As if it had never been settled, and as if nobody knew that it was.
    scene.database.exec("DELETE FROM sent_messages WHERE message_id NOT IN (SELECT message_id FROM queue)");
    putIn(scene, runId);
    const next = await again();
    await next.work.start();
    await until(() => rowsIn(next).length === 1);
    // A run that rests keeps its message until it is over.
    await until(() => rowsIn(next)[0]?.state === "leased");
    expect(rowsIn(next)).toMatchObject([{ message_id: decidedIdOf(paused) }]);
    expect(next.ran).toEqual([]);
    expect(next.database.prepare("SELECT record FROM work_runs WHERE run_id = ?").get(runId)).toEqual(before);
    expect(await statusOf(next, paused)).toBe("paused");
  });
});

test("a message about something else is set aside at once", async () => {
  await inScene({}, async (scene) => {
    putIn(scene, "x");
    scene.database.exec(
      "DROP TRIGGER queue_stays; UPDATE queue SET message = json_set(message, '$.payload.event', 'other')",
    );
    await scene.work.start();
    await until(() => rowsIn(scene)[0]?.state === "dead");
    expect(rowsIn(scene)).toMatchObject([{ deliveries: 1, reason: "unreadable" }]);
  });
});

test("[BUS-13] a run whose message was set aside does not seem to wait: it ends, and says why", async () => {
  await inScene({}, async (scene, again) => {
    const runId = await grantPlan(scene, INSIDE);
    scene.database.exec(KILL_ALL);
    const next = await again();
    await next.work.start();
    await until(async () => (await statusOf(next, runId)) === "blocked");
    const shown = await next.work.show(runId);
    expect(shown.ok && shown.value.run.lastError).toBe("Not begun: it failed before it began, 5 times");
    expect(next.ran).toEqual([]);
  });
});

test("[BUS-13] a run whose message this version cannot read ends in the same process, and says why", async () => {
  await inScene({}, async (scene) => {
    const runId = await grantPlan(scene, INSIDE);
    scene.database.exec(
      "DROP TRIGGER queue_stays; UPDATE queue SET message = json_set(message, '$.payload.version', 2)",
    );
    await scene.work.start();
    await until(async () => (await statusOf(scene, runId)) === "blocked");
    expect(rowsIn(scene)).toMatchObject([{ state: "dead", reason: "unreadable" }]);
    expect(scene.ran).toEqual([]);
  });
});

test("[BUS-13] a run that was begun and whose message was set aside does not seem to go on: it ends in doubt", async () => {
  await inScene({}, async (scene, again) => {
    const runId = await grantPlan(scene, INSIDE);
    expect((await scene.work.pause(runId, BY)).ok).toBe(true);
    scene.database.exec(KILL_ALL);
    const next = await again();
    await next.work.start();
    await until(async () => (await statusOf(next, runId)) === "in_doubt");
    const shown = await next.work.show(runId);
    expect(shown.ok && shown.value.run.lastError).toContain("silas logs");
  });
});

const FOLDER = "files: { write: [/srv/one] }\nsteps:";
const inFolder = (id: string): string => INSIDE.replace("task-steps", id).replace("steps:", FOLDER);

test("[BUS-12] [BUS-14] what waits for its turn is held by heartbeats for hours, and handed back uncounted when Silas ends", async () => {
  const { script, started, go } = heldProgram();
  await inScene({ script }, async (scene, again) => {
    const first = await grantPlan(scene, inFolder("task-first"));
    const second = await grantPlan(scene, inFolder("task-second"));
    await scene.work.start();
    await started;
    const leases = `SELECT lease_until AS n FROM ${QUEUE_STATES} WHERE kind = 'decided'`;
    const leaseUntil = (): string => String(scene.database.prepare(leases).get()?.["n"]);
    await until(() => rowsIn(scene).every(({ state }) => state === "leased"));
    for (let beats = 0; beats < 20; beats += 1) {
      const before = leaseUntil();
      // The timers of the house ring in between.
      await until(() => leaseUntil() !== before || (scene.nextTimer(), false));
    }
    // A machine that slept for hours finds its lease over, and still its own.
    scene.world.clock.moveMs(5 * 3_600_000);
    scene.work.decisions.wake();
    await until(() => leaseUntil() > scene.world.clock.now());
    expect(rowsIn(scene)).toMatchObject([
      { message_id: decidedIdOf(first), state: "leased", deliveries: 1 },
      { message_id: decidedIdOf(second), state: "leased", deliveries: 1 },
    ]);
    go();
    for (let starts = 0; starts < 7; starts += 1) {
      const closing = again();
      scene = await closing;
      expect(rowsIn(scene).every(({ deliveries, state }) => deliveries === 0 && state === "ready")).toBe(true);
    }
    expect(await statusOf(scene, first)).not.toBe("pending");
  });
});

test("while everything is stopped nothing is taken from the queue and nothing is lost; it begins when the stop is taken back", async () => {
  await inScene({}, async (scene, again) => {
    await scene.work.start();
    expect((await scene.work.stops.stop(BY)).ok).toBe(true);
    const runId = await grantPlan(scene, INSIDE);
    scene.work.decisions.wake();
    await scene.work.runGranted(runId);
    const next = await again();
    expect(rowsIn(next)).toMatchObject([{ state: "ready", deliveries: 0 }]);
    await next.work.start();
    expect(next.ran).toEqual([]);
    expect((await next.work.stops.startAgain(BY)).ok).toBe(true);
    await until(async () => (await statusOf(next, runId)) === "done");
    expect(rowsIn(next)).toEqual([]);
  });
});

/** As SQLite says that the disk is full. */
const FULL = Object.assign(new Error("simulated failure"), { code: "ERR_SQLITE_ERROR", errcode: 13 });

/** Lets time pass from timer to timer, so long at most, until something is so. */
function passMinutes(
  { world, nextTimer }: Scene,
  { atMost, until: isSo }: { readonly atMost: number; readonly until: () => Promise<boolean> | boolean },
): Promise<void> {
  const endMs = msOfInstant(world.clock.now()) + atMost * MINUTE_MS;
  return until(() => {
    if (msOfInstant(world.clock.now()) < endMs) nextTimer();
    return isSo();
  });
}

test("a run that a full disk kept from beginning begins in the same process once there is room, and is not set aside meanwhile", async () => {
  let isFull = false;
  const onStatement = (sql: string): void => {
    if (isFull && /^\s*INSERT INTO work_runs/i.test(sql)) throw FULL;
  };
  await inScene({ onStatement }, async (scene) => {
    const runId = await grantPlan(scene, INSIDE);
    isFull = true;
    await scene.work.start();
    const tenLaterMs = msOfInstant(scene.world.clock.now()) + 10 * MINUTE_MS;
    await passMinutes(scene, { atMost: 10, until: () => msOfInstant(scene.world.clock.now()) >= tenLaterMs });
    expect(await statusOf(scene, runId)).toBe("pending");
    expect(rowsIn(scene)).toMatchObject([{ state: expect.not.stringContaining("dead") }]);
    isFull = false;
    // The approval may be used for half an hour.
    await passMinutes(scene, { atMost: 15, until: async () => (await statusOf(scene, runId)) === "done" });
    expect(rowsIn(scene)).toEqual([]);
  });
});

test("what was granted before there was a queue is on it after the upgrade, once", async () => {
  await inScene({}, async (scene, again) => {
    const runId = await grantPlan(scene, INSIDE);
    const begun = await grantPlan(scene, INSIDE.replace("task-steps", "task-begun"));
    await scene.work.runGranted(begun);
    scene.database.exec("DROP TABLE queue; DROP TABLE sent_messages");
    scene.database.exec("CREATE TABLE uncarried_decisions (request_id TEXT PRIMARY KEY)");
    const folder = new URL("../src/shell/stores/migrations/runtime/", import.meta.url);
    const migrations = readdirSync(folder).filter((name) =>
      /_(?:queues|one_queue|decided|queue_indexes)\.sql$/.test(name),
    );
    for (const name of migrations.toSorted()) scene.database.exec(readFileSync(new URL(name, folder), "utf8"));
    const next = await again();
    expect(rowsIn(next)).toEqual([{ message_id: decidedIdOf(runId), state: "ready", deliveries: 0, reason: null }]);
    const runs = await settleAll(next);
    expect(runs.map(({ status }) => status)).toEqual(["done", "done"]);
    expect(next.ran.filter((one) => one === "make page")).toHaveLength(1);
  });
});

test("[BUS-14] a full disk does not keep Silas from closing: the next start takes its leases back", async () => {
  let isFull = false;
  const onStatement = (sql: string): void => {
    if (isFull && /^\s*(?:INSERT|UPDATE)/i.test(sql)) throw FULL;
  };
  await inScene({ onStatement }, async (scene, again) => {
    const paused = await grantPlan(scene, OUTSIDE);
    expect((await scene.work.pause(paused, BY)).ok).toBe(true);
    await scene.work.start();
    await until(() => rowsIn(scene)[0]?.state === "leased");
    isFull = true;
    await scene.work.close();
    isFull = false;
    expect(rowsIn(scene)).toMatchObject([{ state: "leased" }]);
    const next = await again();
    await next.work.start();
    expect((await next.work.resume(paused, BY)).ok).toBe(true);
    await until(async () => (await statusOf(next, paused)) === "done");
  });
});

test("[BUS-12] a run whose lease another process took is left where it is: it writes nothing more here", async () => {
  const { script, started, go } = heldProgram();
  await inScene({ script }, async (scene) => {
    const runId = await grantPlan(scene, INSIDE);
    await scene.work.start();
    await started;
    scene.database.exec("UPDATE queue_leases SET fence = fence + 1, holder = 'another'");
    const record = () => scene.database.prepare("SELECT record FROM work_runs WHERE run_id = ?").get(runId);
    const before = record();
    await until(scene.nextTimer);
    await until(() => !scene.work.decisions.holds(decidedIdOf(runId)));
    go();
    await until(async () => {
      const shown = await scene.work.show(runId);
      return shown.ok && shown.value.progress === null;
    });
    await scene.work.close();
    expect(record()).toEqual(before);
    expect(rowsIn(scene)).toMatchObject([{ message_id: decidedIdOf(runId), state: "leased" }]);
  });
});
