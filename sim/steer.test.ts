import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleOf } from "../test/depth.ts";
import { msOfInstant } from "#base";
import { planProposalText, type Gate, type RunRecord } from "#model";
import { createMemoryVault } from "#stores";
import { gateOf } from "../test/gate-texts.ts";
import { BY } from "./approval-world.ts";
import { inWorld, type World } from "./disk-run.ts";
import { createVirtualTimers } from "./seeded.ts";
import { cutSteering } from "./steer-cuts.ts";
import {
  INSIDE,
  NEVER_DUE,
  OUTSIDE,
  grantPlan,
  heldProgram,
  openWork,
  playSandboxes,
  settleAll,
  statusOf,
  until,
  type Script,
  type Working,
} from "./work-world.ts";

type Scene = Working & { readonly world: World; readonly sandboxes: ReturnType<typeof playSandboxes> };
type Setting = { readonly script?: Script; readonly system?: readonly Gate[] };

/** Work on a real file; a second process over the same file is another `again`. */
const inScene = (setting: Setting, look: (scene: Scene, again: () => Promise<Scene>) => Promise<void>): Promise<void> =>
  inWorld(5, async (world) => {
    const vault = createMemoryVault();
    const opened: Working[] = [];
    const open = async (): Promise<Scene> => {
      const before = opened.at(-1);
      if (before !== undefined) await leave(before);
      const sandboxes = playSandboxes(join(world.root, "spaces"), setting.script);
      const { system = [] } = setting;
      const working = await openWork(world, { dataDir: join(world.root, "data"), vault, sandboxes, system });
      opened.push(working);
      return { ...working, world, sandboxes };
    };
    const scene = await open();
    try {
      await look(scene, open);
    } finally {
      const last = opened.at(-1);
      if (last !== undefined) await leave(last);
    }
  });

async function leave({ work, trust }: Working): Promise<void> {
  await work.close();
  trust.stores.close();
}

async function runOf({ work }: Working, runId: string): Promise<RunRecord> {
  const shown = await work.show(runId);
  if (!shown.ok) throw new Error(shown.error.code);
  return shown.value.run;
}
async function statuses({ work }: Working): Promise<readonly string[]> {
  const listed = await work.list();
  return listed.ok ? listed.value.map(({ run }) => run.status) : [];
}
const eventsOf = async ({ trust }: Working): Promise<readonly string[]> => {
  const entries = await trust.stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 });
  return entries.ok ? entries.value.toReversed().map(({ event }) => event) : [];
};

test("a run is held between two steps and goes on there, in the same workspace, and the chain says whose word it was", async () => {
  const { script, started, go } = heldProgram();
  await inScene({ script }, async (scene) => {
    const runId = await grantPlan(scene, OUTSIDE);
    await scene.work.start();
    await started;
    expect(await scene.work.pause(runId, BY)).toMatchObject({ value: { status: "running", isPausing: true } });
    go();
    await expect.poll(async () => (await runOf(scene, runId)).status).toBe("paused");
    expect(scene.sandboxes.ran).toEqual(["make page"]);
    expect(await scene.work.pause(runId, BY)).toMatchObject({ value: { status: "paused" } });
    expect(await scene.work.resume(runId, BY)).toMatchObject({ ok: true });
    await expect.poll(async () => (await runOf(scene, runId)).status).toBe("done");
    expect(scene.sandboxes.ran).toEqual(["make page", "make end", "look"]);
    expect(await scene.work.resume(runId, BY)).toMatchObject({ error: { code: "run_over" } });
    expect((await eventsOf(scene)).slice(-4)).toEqual(["run_started", "run_paused", "run_resumed", "run_ended"]);
    const entries = await scene.trust.stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 4 });
    expect(entries.ok && entries.value.map(({ actor }) => actor.kind)).toEqual(["system", BY.kind, BY.kind, "system"]);
  });
});

test("what is paused stays so over a restart, and goes on by the rules for what was interrupted", async () => {
  for (const [text, status] of [
    [INSIDE, "done"],
    [OUTSIDE, "in_doubt"],
  ] as const) {
    const { script, started, go } = heldProgram();
    await inScene({ script }, async (scene, again) => {
      const runId = await grantPlan(scene, text);
      await scene.work.start();
      await started;
      await scene.work.pause(runId, BY);
      go();
      await expect.poll(async () => (await runOf(scene, runId)).status).toBe("paused");
      const next = await again();
      await next.work.start();
      expect(await runOf(next, runId)).toMatchObject({ status: "paused" });
      expect(next.sandboxes.opened()).toBe(0);
      expect(await next.work.resume(runId, BY)).toMatchObject({ ok: true });
      await expect.poll(async () => (await runOf(next, runId)).status).toBe(status);
      expect(await next.work.resume(runId, BY)).toMatchObject({ error: { code: "run_over" } });
    });
  }
});

test("stopping what a process left in the middle of a step says what is known of that step", async () => {
  for (const [text, status, state] of [
    [INSIDE, "cancelled", "ended"],
    [OUTSIDE, "in_doubt", "in_doubt"],
  ] as const) {
    const { script, started, go } = heldProgram();
    await inScene({ script }, async (scene, again) => {
      const runId = await grantPlan(scene, text);
      await scene.work.start();
      await started;
      const leaving = again();
      go();
      const next = await leaving;
      expect(await next.work.cancel(runId, BY)).toMatchObject({ value: { status } });
      const shown = await next.work.show(runId);
      expect(shown.ok && shown.value.ledger.map((entry) => entry.state)).toEqual([state]);
      await next.work.start();
      expect(next.sandboxes.opened()).toBe(0);
    });
  }
});

test("a run is left where it is at once when Silas ends, whatever else is waited for", async () => {
  const { script, started, go } = heldProgram();
  await inScene({ script }, async (scene, again) => {
    const runId = await grantPlan(scene, OUTSIDE);
    await scene.work.start();
    await started;
    // One after the other, and waited for before Silas has ended.
    const answers = Array.from({ length: 20 }, () =>
      scene.work.suggestions.answer("suggestion-none", { answer: "not_now", actor: BY }),
    );
    const leaving = again();
    go();
    const next = await leaving;
    expect((await Promise.all(answers)).every(({ ok }) => !ok)).toBe(true);
    expect(scene.sandboxes.ran).toEqual(["make page"]);
    const shown = await next.work.show(runId);
    expect(shown.ok && shown.value.ledger.map(({ state }) => state)).toEqual(["started"]);
  });
});

test("a project is held by the task that runs, and goes on by its own name", async () => {
  const { script, started, go } = heldProgram();
  const plan =
    "---\nid: project-one\ntype: project\ntitle: All of it\ntasks: [task-steps]\n---\n\n# What to do\n\nMake it.\n";
  await inScene({ script }, async (scene) => {
    const runId = await grantPlan(scene, planProposalText({ plan, tasks: [INSIDE], standing: null }));
    await scene.work.start();
    await started;
    expect(await scene.work.resume(runId, BY)).toMatchObject({ error: { code: "run_not_paused" } });
    expect(await scene.work.pause(runId, BY)).toMatchObject({ ok: true });
    go();
    await expect.poll(async () => (await statuses(scene)).includes("paused")).toBe(true);
    expect(scene.sandboxes.ran).toEqual(["make page"]);
    expect(await scene.work.resume(runId, BY)).toMatchObject({ ok: true });
    expect((await settleAll(scene)).map(({ status }) => status)).toEqual(["done", "done"]);
  });
});

test("what waits can be held before it begins, by whoever holds the file, and begins when it may", async () => {
  await inScene({}, async (scene, again) => {
    const runId = await grantPlan(scene, INSIDE);
    expect(await scene.work.resume(runId, BY)).toMatchObject({ error: { code: "run_not_paused" } });
    expect(await scene.work.pause(runId, BY)).toMatchObject({ value: { status: "paused", attempts: 0 } });
    const next = await again();
    await next.work.start();
    expect(await runOf(next, runId)).toMatchObject({ status: "paused" });
    await next.work.resume(runId, BY);
    await expect.poll(async () => (await runOf(next, runId)).status).toBe("done");
    expect(await next.work.pause("nobody", BY)).toMatchObject({ error: { code: "run_unknown" } });
  });
});

test("the stop of everything ends what runs, lets nothing begin over any restart, and is taken back by a word", async () => {
  const { script, started, go } = heldProgram();
  await inScene({ script }, async (scene, again) => {
    const runs = await grantPlan(scene, INSIDE);
    await scene.work.start();
    await started;
    const stopping = scene.work.stops.stop(BY);
    go();
    expect(await stopping).toMatchObject({ value: { ended: 1, stopped: { by: BY.kind } } });
    expect(await runOf(scene, runs)).toMatchObject({ status: "cancelled", lastError: "Stopped by you" });
    const waits = await grantPlan(scene, INSIDE.replace("task-steps", "task-waits"));
    const next = await again();
    await next.work.start();
    await next.work.runGranted(waits);
    expect(await runOf(next, waits)).toMatchObject({ status: "pending" });
    expect(next.sandboxes.opened()).toBe(0);
    expect(await next.work.stops.current()).toMatchObject({ value: { by: BY.kind } });
    expect(await next.work.stops.startAgain(BY)).toEqual({ ok: true, value: true });
    await expect.poll(async () => (await runOf(next, waits)).status).toBe("done");
    expect(await next.work.stops.startAgain(BY)).toEqual({ ok: true, value: false });
    const told = (await eventsOf(next)).filter((event) => /stopped$|again$/.test(event));
    expect(told).toEqual(["everything_stopped", "started_again"]);
  });
});

test("what rests is left alone by the stop of everything, and does not go on before that is taken back", async () => {
  await inScene({}, async (scene) => {
    const runId = await grantPlan(scene, INSIDE);
    await scene.work.pause(runId, BY);
    await scene.work.start();
    expect(await scene.work.stops.stop(BY)).toMatchObject({ value: { ended: 0 } });
    expect(await runOf(scene, runId)).toMatchObject({ status: "paused" });
    expect(await scene.work.resume(runId, BY)).toMatchObject({ error: { code: "work_stopped" } });
    await scene.work.stops.startAgain(BY);
    expect(await runOf(scene, runId)).toMatchObject({ status: "paused" });
    await scene.work.resume(runId, BY);
    expect(await settleAll(scene)).toMatchObject([{ status: "done" }]);
  });
});

const callGate = (fields: Partial<Gate>): Gate => gateOf({ name: "calls", on: "on_tool_call", ...fields });

test("[WORK-22] [WORK-23] a gate of the configuration looks at every step of every run, and what it holds does not run", async () => {
  const system = [callGate({ allowedValues: ["file_read"] })];
  await inScene({ system }, async (scene) => {
    const runId = await grantPlan(scene, INSIDE);
    // The set was put together before the run; taking it away now changes nothing.
    system.pop();
    await scene.work.runGranted(runId);
    const run = await runOf(scene, runId);
    expect(run).toMatchObject({ status: "blocked", attempts: 1, isVerified: false });
    expect(run.lastError).toContain("Step write was not run: Gate calls");
    expect(scene.sandboxes.ran).toEqual([]);
    expect(await eventsOf(scene)).toEqual(expect.arrayContaining(["gate_blocked", "run_ended"]));
  });
});

test("[WORK-22] the configuration's gates are asked first, then the plan's own, in one set", async () => {
  const system = [callGate({ allowedValues: ["shell_exec"] })];
  const own = "gates:\n  - { name: own, on: on_tool_call, allowed_values: [shell_exec] }\n";
  await inScene({ system }, async (scene) => {
    const runId = await grantPlan(scene, INSIDE.replace("steps:", `${own}steps:`));
    await scene.work.runGranted(runId);
    expect(await runOf(scene, runId)).toMatchObject({ status: "done" });
    const entries = await scene.trust.stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 });
    const passed = entries.ok ? entries.value.filter(({ event }) => event === "gates_passed") : [];
    expect(passed.map(({ data }) => data["gates"])).toEqual([
      ["calls", "own"],
      ["calls", "own"],
    ]);
  });
});

test("pausing, going on and stopping everything may be cut at any statement: nothing is done twice outside, and every word that was kept holds", async () => {
  const { states } = await cutSteering(7, (all) => sampleOf(all, 4));
  expect(states).toBeGreaterThan(30);
});

test("a run that a full disk stopped goes on in the same process once there is room, without another approval", async () => {
  await inWorld(5, async (world) => {
    const timers = createVirtualTimers(world.clock);
    const nextLook = (): boolean => timers.next(msOfInstant(world.clock.now()) + MINUTE_MS);
    let isFull = false;
    const sandboxes = playSandboxes(join(world.root, "spaces"), () => {
      isFull = sandboxes.ran.length === 1;
      return 0;
    });
    const onStatement = (sql: string): void => {
      if (isFull && /^\s*(INSERT|UPDATE)/i.test(sql)) throw FULL;
    };
    const dataDir = join(world.root, "data");
    const scheduling = { ...NEVER_DUE, timers };
    const scene = await openWork(world, { dataDir, vault: createMemoryVault(), sandboxes, onStatement, scheduling });
    const runId = await grantPlan(scene, INSIDE);
    await scene.work.start();
    await until(() => sandboxes.ran.length > 0);
    await until(nextLook);
    expect(sandboxes.ran).toEqual(["make page"]);
    expect(await statusOf(scene, runId)).toBe("running");
    await until(nextLook);
    isFull = false;
    await until(async () => {
      nextLook();
      return (await statusOf(scene, runId)) === "done";
    });
    await leave(scene);
  });
});

const MINUTE_MS = 60_000;
/** As SQLite says that the disk is full. */
const FULL = Object.assign(new Error("simulated failure"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
