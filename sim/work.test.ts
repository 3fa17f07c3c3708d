import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import { reasonWords } from "#model";
import { createMemoryVault } from "#stores";
import { depth, sampleOf } from "../test/depth.ts";
import { BY } from "./approval-world.ts";
import { inWorld } from "./disk-run.ts";
import { cutRuns } from "./work-cuts.ts";
import { killRuns } from "./work-kill.ts";
import {
  closeWork,
  grantPlan,
  INSIDE,
  inWorkScene,
  openWork,
  OUTSIDE,
  playSandboxes,
  settleAll,
  type Script,
  type WorkScene,
} from "./work-world.ts";

test("[WSTORE-06] [WORK-17] [BUS-17] [BUS-18] a run that is cut at any statement goes on to an end or is in doubt, and does nothing outside twice", async () => {
  const { states } = await cutRuns(1, (all) => sampleOf(all, 6));
  expect(states).toBeGreaterThan(80);
});

test("[WSTORE-06] [BUS-10] a Silas that is killed in the middle of real runs, batches and their taking back, again and again, leaves none without an end, loses no file and does nothing twice", async () => {
  const kills = depth({ sample: 5, every: 50 });
  const { runs } = await killRuns({ seed: 1, kills });
  expect(runs).toBeGreaterThan(2);
});

const eventsOf = (database: DatabaseSync): readonly string[] =>
  database
    .prepare("SELECT event FROM audit_entries ORDER BY seq")
    .all()
    .map((row) => String(row["event"]));

/** Triggers keep honest programs from it; whoever has the file needs no permission. */
function edit(database: DatabaseSync, sql: string): void {
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()) {
    database.exec(`DROP TRIGGER "${String(name)}"`);
  }
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
}

type Attack = readonly [name: string, reason: string, act: (scene: WorkScene, runId: string) => Promise<void> | void];
const ATTACKS: readonly Attack[] = [
  [
    "a token whose signed words were changed",
    "approval_signature_invalid",
    ({ database }) => edit(database, `UPDATE approval_tokens SET token = replace(token, '"full_plan"', '"tool_type"')`),
  ],
  [
    "a token that says more than was signed",
    "approval_unreadable",
    ({ database }) => edit(database, "UPDATE approval_tokens SET max_executions = 9"),
  ],
  [
    "a token with another nonce",
    "approval_unreadable",
    ({ database }) =>
      edit(
        database,
        `UPDATE approval_tokens SET nonce = '${sha256Hex("x")}'; UPDATE approval_uses SET nonce = '${sha256Hex("x")}'`,
      ),
  ],
  [
    "a plan with another step",
    "approval_hash_differs",
    ({ database }) =>
      edit(database, "UPDATE pending_decisions SET markdown = replace(markdown, 'make page', 'make havoc')"),
  ],
  [
    "a plan that cannot be read",
    "plan_unreadable",
    ({ database }) => edit(database, "UPDATE pending_decisions SET markdown = 'nothing'"),
  ],
  [
    "a revoked key",
    "approval_key_revoked",
    async ({ trust, world }) => {
      const keys = await trust.stores.keys.list();
      const keyId = keys.ok ? keys.value[0]?.keyId : undefined;
      if (keyId === undefined) throw new Error("there is a key");
      await trust.stores.keys.revoke({ keyId, at: world.clock.now(), actor: BY, lastKey: "revoke" });
    },
  ],
  ["an approval whose time is over", "approval_expired", ({ world }) => world.clock.moveMs(1_800_000)],
  ["a clock before the approval", "approval_not_yet_valid", ({ world }) => world.clock.moveMs(-60_000)],
  [
    "a use that was granted to another run",
    "store_corrupt",
    ({ database }, runId) =>
      edit(
        database,
        `UPDATE attempt_lineages SET content_hash = '${sha256Hex("x")}'; UPDATE approval_uses SET content_hash = '${sha256Hex("x")}' WHERE lineage_id = '${runId}'`,
      ),
  ],
];

test.each(ATTACKS)(
  "[INV-01] [WORK-12] [WORK-13] with %s nothing is opened, the run is blocked, and the chain says why",
  async (_name, reason, act) => {
    await inWorkScene(
      () => 0,
      async (scene) => {
        const { work, sandboxes, database } = scene;
        const runId = await grantPlan(scene, INSIDE);
        const usesBefore = database.prepare("SELECT count(*) AS n FROM approval_uses").get();
        await act(scene, runId);
        await work.runGranted(runId);
        expect(sandboxes.opened()).toBe(0);
        expect(sandboxes.ran).toEqual([]);
        const shown = await work.show(runId);
        expect(shown).toMatchObject({ value: { run: { status: "blocked", attempts: 0 }, ledger: [] } });
        expect(shown.ok && shown.value.run.lastError).toContain(reasonWords(reason));
        expect(eventsOf(database).filter((event) => event === "execution_blocked_no_approval")).toHaveLength(1);
        expect(eventsOf(database)).not.toContain("run_started");
        expect(database.prepare("SELECT count(*) AS n FROM approval_uses").get()).toEqual(usesBefore);
      },
    );
  },
);

test("[WORK-14] entering a run only checks its approval: no attempt of a single-use approval spends another use", async () => {
  await inWorkScene(
    () => 1,
    async (scene) => {
      const { work, database } = scene;
      const runId = await grantPlan(scene, INSIDE);
      const uses = () => database.prepare("SELECT nonce, use_number, lineage_id FROM approval_uses").all();
      const before = uses();
      expect(before).toMatchObject([{ use_number: 1, lineage_id: runId }]);
      await work.runGranted(runId);
      await settleAll(scene);
      const shown = await work.show(runId);
      // It entered, and failed, more than once.
      expect(shown.ok && shown.value.run.attempts).toBeGreaterThan(1);
      expect(uses()).toEqual(before);
      expect(database.prepare("SELECT * FROM message_nonces").all()).toEqual([]);
    },
  );
});

test("[INV-01] an approval whose use is gone grants nothing: there is no run that anybody could begin", async () => {
  await inWorkScene(
    () => 0,
    async (scene) => {
      const { work, sandboxes, database } = scene;
      const runId = await grantPlan(scene, INSIDE);
      edit(database, "DELETE FROM approval_uses");
      await work.runGranted(runId);
      await settleAll(scene);
      expect(await work.show(runId)).toMatchObject({ error: { code: "run_unknown" } });
      expect(sandboxes.opened()).toBe(0);
    },
  );
});

test.each([
  [
    "set back to its beginning",
    "UPDATE work_runs SET status = 'pending', attempts = 0, ended_at = NULL, record = :fresh",
  ],
  ["set back in the middle", "UPDATE work_runs SET status = 'running', ended_at = NULL, record = :fresh"],
  ["taken away", "DELETE FROM work_runs"],
])("[INV-01] a run that has ended and whose row was %s does not run again on its one use", async (_name, sql) => {
  await inWorkScene(
    () => 0,
    async (scene) => {
      const { work, sandboxes, database } = scene;
      const runId = await grantPlan(scene, INSIDE);
      await work.runGranted(runId);
      const before = sandboxes.ran.length;
      expect(before).toBeGreaterThan(0);
      const kept = database.prepare("SELECT record FROM work_runs").get()?.["record"];
      const record = JSON.parse(String(kept)) as Record<string, unknown>;
      const used = { tokens: 0, cost_usd: 0, wall_time_seconds: 0, attempts: 0, planner_calls: 0, executor_runs: 0 };
      const status = /status = '(\w+)'/.exec(sql)?.[1] ?? "pending";
      const fresh = {
        ...record,
        status,
        attempts: 0,
        results: [],
        is_verified: false,
        ended_at: null,
        budget_used: used,
      };
      edit(database, "DELETE FROM work_ledger");
      database.prepare(sql).run(sql.includes(":fresh") ? { fresh: JSON.stringify(fresh) } : {});
      await settleAll(scene);
      await work.runGranted(runId);
      expect(sandboxes.ran).toHaveLength(before);
      expect(eventsOf(database).filter((event) => event === "run_started")).toHaveLength(1);
      // Without a row it seems to wait, and waits for ever: that it was granted has been told, and is not told again.
      const over = { status: "blocked", lastError: expect.stringContaining("the run it was used for has ended") };
      const run = sql.startsWith("DELETE") ? { status: "pending" } : over;
      expect(await work.show(runId)).toMatchObject({ value: { run } });
    },
  );
});

test("[INV-03] [WORK-28] [WORK-29] [WORK-32] a check that always fails never leads to done: attempts are used up, and it is stuck with the reason", async () => {
  const looksBad: Script = ({ argv }) => (argv[0] === "look" ? 1 : 0);
  await inWorkScene(looksBad, async (scene) => {
    const runId = await grantPlan(scene, INSIDE);
    await scene.work.runGranted(runId);
    const shown = await scene.work.show(runId);
    expect(shown).toMatchObject({ value: { run: { status: "stuck", attempts: 3, isVerified: false } } });
    expect(scene.sandboxes.ran.filter((one) => one === "look")).toHaveLength(3);
    // Each attempt has a workspace of its own, and each check a sandbox of its own.
    expect(scene.sandboxes.opened()).toBe(6);
    expect(shown.ok && shown.value.run.lastError).toContain("page is there");
  });
});

test("[VER-04] [VER-05] [VER-06] checks run in another sandbox that sees the workspace and every place to read only, and is given no environment", async () => {
  const seen: string[] = [];
  const script: Script = ({ argv, cwd, env }, config) => {
    const { readPaths, writePaths, env: given, network } = config;
    seen.push(
      JSON.stringify({
        program: argv[0],
        cwd,
        env,
        given,
        network,
        read: readPaths.map(({ as }) => as),
        write: writePaths,
      }),
    );
    return 0;
  };
  await inWorkScene(script, async (scene) => {
    await scene.work.runGranted(await grantPlan(scene, OUTSIDE));
    const place = { path: "/srv/pages", as: "/srv/pages" };
    // A step is told which attempt it is; a check is told nothing.
    const env = { SILAS_ATTEMPT: "1", SILAS_LAST_FAILURE: "" };
    expect(seen.map((text) => JSON.parse(text) as unknown)).toEqual([
      { program: "make", env, given: {}, network: "none", read: [], write: [place] },
      { program: "make", env, given: {}, network: "none", read: [], write: [place] },
      { program: "look", cwd: "/results", given: {}, network: "none", read: ["/results", "/srv/pages"], write: [] },
    ]);
  });
});

test("at most eight run at once, the others wait their turn, and all of them end", async () => {
  let now = 0;
  let most = 0;
  const { promise: full, resolve: isFull } = Promise.withResolvers<void>();
  const slow: Script = async () => {
    now += 1;
    most = Math.max(most, now);
    if (now === 8) isFull();
    // Nobody ends before eight are there, and they stay long enough for a ninth to come.
    await full;
    for (let turns = 0; turns < 20; turns += 1) await turn();
    now -= 1;
    return 0;
  };
  await inWorkScene(slow, async (scene) => {
    for (let index = 0; index < 11; index += 1) await grantPlan(scene, INSIDE.replace("task-steps", `task-${index}`));
    const runs = await settleAll(scene);
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => "done"));
    expect(most).toBe(8);
  });
});

test("what waits and what runs can be cancelled, once, and what has ended cannot", async () => {
  const { promise: started, resolve: isStarted } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const hangs: Script = () => {
    isStarted();
    return ended;
  };
  await inWorkScene(hangs, async (scene) => {
    const { work, database } = scene;
    const waits = await grantPlan(scene, INSIDE.replace("task-steps", "task-waits"));
    expect(await work.cancel(waits, BY)).toMatchObject({ value: { status: "cancelled" } });
    const runs = await grantPlan(scene, INSIDE);
    const running = work.runGranted(runs);
    await started;
    const cancelling = work.cancel(runs, BY);
    end(0);
    expect(await cancelling).toMatchObject({ value: { status: "cancelled" } });
    await running;
    for (const runId of [waits, runs]) {
      expect(await work.cancel(runId, BY)).toMatchObject({ error: { code: "run_over" } });
    }
    expect(await work.cancel("nobody", BY)).toMatchObject({ error: { code: "run_unknown" } });
    await work.runGranted(waits);
    expect(scene.sandboxes.ran).toEqual(["make page"]);
    expect(eventsOf(database).filter((event) => event === "run_ended")).toHaveLength(2);
  });
});

test("a list of many runs makes as many reads as a list of one", async () => {
  await inWorld(5, async (world) => {
    const reads: string[] = [];
    const sandboxes = playSandboxes(join(world.root, "spaces"), () => 0);
    const onStatement = (sql: string) => void reads.push(sql);
    const dataDir = join(world.root, "data");
    const working = await openWork(world, { dataDir, vault: createMemoryVault(), sandboxes, onStatement });
    const listed = async (): Promise<readonly [runs: number, reads: number]> => {
      reads.length = 0;
      const list = await working.work.list();
      return [list.ok ? list.value.length : 0, reads.length];
    };
    await working.work.runGranted(await grantPlan(working, INSIDE));
    const one = await listed();
    for (let run = 0; run < 5; run += 1) await working.work.runGranted(await grantPlan(working, INSIDE));
    const many = await listed();
    await closeWork(working);
    expect([one[0], many[0]]).toEqual([1, 6]);
    expect(many[1]).toBe(one[1]);
  });
});
