import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { sampleOf } from "../test/depth.ts";
import { planProposalText, type RunRecord, type WorkSummary } from "#model";
import { createMemoryVault } from "#stores";
import { BY, RUNTIME_FILE } from "./approval-world.ts";
import { createCutting, lookAtEach } from "./disk.ts";
import { inWorld } from "./disk-run.ts";
import {
  closeWork,
  grantPlan,
  inWorkScene,
  openWork,
  playSandboxes,
  settleAll,
  type Script,
  type Working,
} from "./work-world.ts";

const task = (id: string, more = ""): string => `---
id: ${id}
type: task
title: Make ${id}
budget: { max_attempts: 2 }
${more}steps:
  - { name: make, run: make ${id} }
---

# What to do

Make it.
`;
const project = (tasks: readonly string[], more = ""): string => `---
id: project-one
type: project
title: Make all of it
tasks: [${tasks.join(", ")}]
${more}---

# What to do

Make all of it.
`;
const CHECKED = "verify:\n  - { name: all is there, run: look, expect: { exit_code: 0 } }\n";
const together = (plan: string, tasks: readonly string[]): string => planProposalText({ plan, tasks, standing: null });

async function listed({ work }: Working): Promise<readonly WorkSummary[]> {
  const runs = await work.list();
  if (!runs.ok) throw new Error("runs can be read");
  return runs.value;
}

async function runsById(scene: Working): Promise<ReadonlyMap<string, RunRecord>> {
  return new Map((await listed(scene)).map(({ run }) => [run.workItemId, run]));
}

const PARTS = [task("task-c", "depends_on: [task-b]\n"), task("task-a"), task("task-b", "depends_on: [task-a]\n")];
const IDS = ["task-c", "task-a", "task-b"];

test("[PROJ-01] [PROJ-03] [PROJ-05] [PROJ-06] [BUD-04] [WSTORE-01] a project runs its tasks one after the other in the order they wait for each other, then its own checks, and is done", async () => {
  await inWorkScene(
    () => 0,
    async (scene) => {
      const runId = await grantPlan(scene, together(project(IDS, CHECKED), PARTS));
      await scene.work.runGranted(runId);
      expect(scene.sandboxes.ran).toEqual(["make task-a", "make task-b", "make task-c", "look"]);
      const shown = await scene.work.show(runId);
      if (!shown.ok) throw new Error("it is shown");
      const { run, project: summary } = shown.value;
      expect(run).toMatchObject({ status: "done", isVerified: true, workItemId: "project-one" });
      expect(run.results.map(({ name, passed }) => [name, passed])).toEqual([["all is there", true]]);
      expect(
        summary?.children.map(({ workItemId, title, status, waitsFor }) => [workItemId, title, status, waitsFor]),
      ).toEqual([
        ["task-a", "Make task-a", "done", []],
        ["task-b", "Make task-b", "done", []],
        ["task-c", "Make task-c", "done", []],
      ]);
      expect(run.budgetUsed).toMatchObject({ attempts: 3, executorRuns: 3 });
      const others = (await listed(scene)).filter((one) => one.run.runId !== runId);
      expect(others.map(({ projectRunId }) => projectRunId)).toEqual([runId, runId, runId]);
      // Every task stands on a token and a use of its own. [PROJ-01]
      expect(new Set((await listed(scene)).map((one) => one.run.tokenId)).size).toBe(4);
    },
  );
});

test("[PROJ-05] a project whose own check fails has failed, and says which", async () => {
  await inWorkScene(
    ({ argv }) => (argv[0] === "look" ? 1 : 0),
    async (scene) => {
      const runId = await grantPlan(scene, together(project(IDS, CHECKED), PARTS));
      await scene.work.runGranted(runId);
      const runs = await runsById(scene);
      expect(runs.get("project-one")).toMatchObject({ status: "failed", isVerified: false });
      expect(runs.get("project-one")?.lastError).toContain("all is there");
    },
  );
});

test("[PROJ-04] [PROJ-06] a task that fails ends its project with its name and reason; the tasks after it are never begun and say so", async () => {
  await inWorkScene(
    ({ argv }) => (argv[1] === "task-a" ? 1 : 0),
    async (scene) => {
      const runId = await grantPlan(scene, together(project(IDS), PARTS));
      await scene.work.runGranted(runId);
      expect(scene.sandboxes.ran).toEqual(["make task-a", "make task-a"]);
      const runs = await runsById(scene);
      expect(runs.get("project-one")).toMatchObject({ status: "failed" });
      expect(runs.get("project-one")?.lastError).toContain("Task task-a failed");
      for (const id of ["task-b", "task-c"]) {
        expect(runs.get(id)).toMatchObject({ status: "blocked", attempts: 0 });
        expect(runs.get(id)?.lastError).toContain("task-a");
      }
    },
  );
});

test("[PROJ-01] [PROJ-03] [PROJ-06] a task whose approval was tampered with is blocked, and so is its project; what needs it is not begun", async () => {
  await inWorkScene(
    () => 0,
    async (scene) => {
      const runId = await grantPlan(scene, together(project(IDS), PARTS));
      const { database } = scene;
      for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()) {
        database.exec(`DROP TRIGGER "${String(name)}"`);
      }
      database.exec(`PRAGMA foreign_keys = OFF; UPDATE approval_tokens SET max_executions = 9 WHERE token_id =
        (SELECT a.token_id FROM approval_tokens a JOIN approval_uses u ON u.nonce = a.nonce
         JOIN attempt_lineages l ON l.lineage_id = u.lineage_id WHERE l.work_item_id = 'task-b')`);
      await scene.work.runGranted(runId);
      expect(scene.sandboxes.ran).toEqual(["make task-a"]);
      const runs = await runsById(scene);
      expect(runs.get("task-b")).toMatchObject({ status: "blocked" });
      expect(runs.get("task-c")).toMatchObject({ status: "blocked", attempts: 0 });
      expect(runs.get("project-one")).toMatchObject({ status: "blocked" });
      expect(runs.get("project-one")?.lastError).toContain("task-b");
    },
  );
});

test("[PROJ-02] circles and names of nobody are refused before anybody is asked, with the ids", async () => {
  await inWorkScene(
    () => 0,
    async ({ trust, work }) => {
      const refused = async (tasks: readonly string[], ids: readonly string[]) => {
        const proposed = await trust.approvals.propose(together(project(ids), tasks), BY);
        return proposed.ok ? null : proposed.error;
      };
      const circle = [task("task-a", "depends_on: [task-b]\n"), task("task-b", "depends_on: [task-a]\n")];
      expect(await refused(circle, ["task-a", "task-b"])).toMatchObject({
        code: "proposal_refused",
        reason: "dependency_circle",
        itemId: "task-a, task-b",
      });
      expect(await refused([task("task-a", "depends_on: [task-x]\n")], ["task-a"])).toMatchObject({
        reason: "dependency_unknown",
        itemId: "task-x",
      });
      const alone = await trust.approvals.propose(task("task-a", "depends_on: [task-x]\n"), BY);
      expect(alone).toMatchObject({ error: { reason: "depends_alone", itemId: "task-a" } });
      expect(await work.list()).toMatchObject({ value: [] });
    },
  );
});

test("a project that is stopped ends its running task, begins no other, and cannot be stopped twice", async () => {
  const { promise: started, resolve: isStarted } = Promise.withResolvers<void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const hangs: Script = () => {
    isStarted();
    return ended;
  };
  await inWorkScene(hangs, async (scene) => {
    const runId = await grantPlan(scene, together(project(IDS), PARTS));
    const running = scene.work.runGranted(runId);
    await started;
    const before = await scene.work.show(runId);
    expect(before).toMatchObject({ value: { progress: { step: 2, steps: 3, name: "Make task-a" } } });
    const cancelling = scene.work.cancel(runId, BY);
    end(0);
    expect(await cancelling).toMatchObject({ value: { status: "cancelled" } });
    await running;
    const runs = await runsById(scene);
    expect(runs.get("task-a")).toMatchObject({ status: "cancelled" });
    for (const id of ["task-b", "task-c"]) expect(runs.get(id)).toMatchObject({ status: "blocked", attempts: 0 });
    expect(await scene.work.cancel(runId, BY)).toMatchObject({ error: { code: "run_over" } });
  });
});

test("[PAR-02] projects hold no place among what runs: nine of them at once all end", async () => {
  await inWorkScene(
    async () => {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      return 0;
    },
    async (scene) => {
      for (let index = 0; index < 9; index += 1) {
        const names = [`task-${index}`];
        const plan = project(names).replace("project-one", `project-${index}`);
        await grantPlan(
          scene,
          together(
            plan,
            names.map((name) => task(name)),
          ),
        );
      }
      const runs = await settleAll(scene);
      expect(runs.every(({ status }) => status === "done")).toBe(true);
      expect(runs).toHaveLength(18);
    },
  );
});

test("[PAR-03] runs that may change the same place go one after the other in the order they were granted, others beside them", async () => {
  const now = new Set<string>();
  const together2: string[] = [];
  const { promise: beside, resolve: isBeside } = Promise.withResolvers<void>();
  const script: Script = async ({ argv }) => {
    const name = argv[1] ?? "";
    for (const other of now) together2.push(`${other}+${name}`);
    now.add(name);
    if (now.has("one") && now.has("three")) isBeside();
    // Both stay until the other is there, and long enough for the one behind the first to come too early.
    await beside;
    for (let turns = 0; turns < 10; turns += 1) await turn();
    now.delete(name);
    return 0;
  };
  await inWorkScene(script, async (scene) => {
    for (const [name, place] of [
      ["one", "/srv/pages"],
      ["two", "/srv/pages/inner"],
      ["three", "/srv/other"],
    ] as const) {
      await grantPlan(scene, task(name, `files: { write: [${place}] }\n`));
      scene.world.clock.moveMs(1);
    }
    await settleAll(scene);
    // Which of two that go beside each other is first does not matter.
    expect(scene.sandboxes.ran.toSorted()).toEqual(["make one", "make three", "make two"]);
    expect(scene.sandboxes.ran.indexOf("make two")).toBeGreaterThan(scene.sandboxes.ran.indexOf("make one"));
    expect(together2).not.toContain("one+two");
  });
});

test("[PROJ-06] a project that is cut at any statement goes on to an end: no task is begun twice that reaches outside, none begins before its time, and every record is in sight", async () => {
  await inWorld(6, async (world) => {
    const dataDir = join(world.root, "cut");
    const vault = createMemoryVault();
    const sandboxes = playSandboxes(join(world.root, "spaces"));
    const into = join(world.root, "cuts");
    const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into, see: () => [...sandboxes.ran] });
    const working = await openWork(world, { dataDir, vault, sandboxes, onStatement: cutting.onStatement });
    const outside = task("task-a", "files: { write: [/srv/pages] }\n");
    const inside = task("task-b", "depends_on: [task-a]\n");
    const runId = await grantPlan(working, together(project(["task-b", "task-a"], CHECKED), [inside, outside]));
    cutting.start();
    await working.work.runGranted(runId);
    cutting.finish();
    await closeWork(working);
    const states = await lookAtEach(cutting.cuts(), {
      file: RUNTIME_FILE,
      into: world.root,
      pick: (all) => sampleOf(all, 3),
      async look(dir, ran) {
        const after = playSandboxes(join(world.root, "spaces"));
        const again = await openWork(world, { dataDir: dir, vault, sandboxes: after });
        const runs = new Map((await settleAll(again)).map((run) => [run.workItemId, run]));
        const all = [...ran, ...after.ran];
        const first = runs.get("task-a")?.status;
        const places = [all.indexOf("make task-a"), all.indexOf("make task-b")];
        expect(all.filter((one) => one === "make task-a").length).toBeLessThanOrEqual(1);
        expect(places[0]).toBeLessThanOrEqual(first === "done" ? (places[1] ?? 0) : 0);
        expect([first, runs.get("task-b")?.status, runs.get("project-one")?.status]).toEqual(
          first === "done" ? ["done", "done", "done"] : ["in_doubt", "blocked", "blocked"],
        );
        expect(await again.trust.stores.audit.verify("genesis")).toMatchObject({ value: { valid: true } });
        await closeWork(again);
      },
    });
    expect(states).toBeGreaterThan(30);
  });
});

test.each([
  ["only its workspace", "", "stuck"],
  ["a place outside", "files: { write: [/srv/pages] }\n", "in_doubt"],
] as const)(
  "a mistake of Silas itself ends a run that could change %s at once, and it says so",
  async (_what, files, status) => {
    const breaks: Script = () => {
      throw new Error("a mistake");
    };
    await inWorkScene(breaks, async (scene) => {
      const runId = await grantPlan(scene, task("task-broken", files));
      await scene.work.runGranted(runId);
      const runs = await runsById(scene);
      expect(runs.get("task-broken")).toMatchObject({ status });
      expect(runs.get("task-broken")?.lastError).toContain("silas logs");
    });
  },
);
