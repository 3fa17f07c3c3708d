import { join } from "node:path";
import { expect, test } from "vitest";
import { LIMITS } from "#base";
import { createMemoryVault } from "#stores";
import { answerTo, BY } from "../approval-world.ts";
import { inWorld } from "../disk-run.ts";
import {
  closeWork,
  grantPlan,
  heldProgram,
  INSIDE,
  openWork,
  playSandboxes,
  statusOf,
  type Script,
  type Working,
} from "../work-world.ts";

/** A plan of two steps, of which the one that is named asks first. */
const asking = (id: string, { at, files = "" }: { readonly at: 1 | 2; readonly files?: string }): string => `---
id: ${id}
type: task
title: ${id}
${files}gates:
  - { name: cap, on: on_tool_call, extract: content, type: string_match, allowed_values: [free], approval_values: [ask] }
steps:
  - { name: one, tool: file_write, args: { path: one.txt, content: ${at === 1 ? "ask" : "free"} } }
  - { name: two, tool: file_write, args: { path: two.txt, content: ${at === 2 ? "ask" : "free"} } }
---

# What to do

Write both.
`;
const plain = (id: string, files = ""): string =>
  INSIDE.replace("task-steps", id).replace("budget: { max_attempts: 3 }\n", `budget: { max_attempts: 3 }\n${files}`);
const PAGES = "files: { write: [/srv/pages] }\n";

const inScene = (script: Script, look: (scene: Working) => Promise<void>): Promise<void> =>
  inWorld(11, async (world) => {
    const sandboxes = playSandboxes(join(world.root, "spaces"), script);
    const dataDir = join(world.root, "data");
    const working = await openWork(world, { dataDir, vault: createMemoryVault(), sandboxes });
    try {
      await working.work.start();
      await look(working);
    } finally {
      await closeWork(working);
    }
  });

async function granted(scene: Working, text: string): Promise<string> {
  const runId = await grantPlan(scene, text);
  scene.review.changed();
  return runId;
}
async function becomes(scene: Working, runId: string, status: string): Promise<void> {
  await expect.poll(() => statusOf(scene, runId)).toBe(status);
}
async function approve(scene: Working, runId: string): Promise<void> {
  const shown = await scene.work.show(runId);
  const requestId = shown.ok ? (shown.value.run.question?.requestId ?? "") : "";
  const request = await scene.trust.approvals.show(requestId);
  if (!request.ok) throw new Error(request.error.code);
  expect(await scene.trust.approvals.decide(answerTo(request.value, "approved"))).toMatchObject({ ok: true });
  scene.review.changed();
}

test("[PAR-01] [PAR-02] runs that wait for a decision or are paused hold up nobody, however many they are", async () => {
  await inScene(
    () => 0,
    async (scene) => {
      const waiting: string[] = [];
      for (let count = 0; count < LIMITS.runsAtOnce; count += 1)
        waiting.push(await granted(scene, asking(`task-${count}`, { at: 2 })));
      const paused: string[] = [];
      for (let count = 0; count < LIMITS.runsAtOnce; count += 1) {
        const runId = await grantPlan(scene, plain(`task-held-${count}`));
        await scene.work.pause(runId, BY);
        paused.push(runId);
      }
      scene.review.changed();
      for (const runId of waiting) await becomes(scene, runId, "waiting");
      const free = await granted(scene, plain("task-free"));
      await becomes(scene, free, "done");
      for (const runId of paused) expect(await statusOf(scene, runId)).toBe("paused");
      for (const runId of waiting) await approve(scene, runId);
      for (const runId of paused) await scene.work.resume(runId, BY);
      for (const runId of [...waiting, ...paused]) await becomes(scene, runId, "done");
    },
  );
});

test("[PAR-02] what goes on takes a turn like any other: with every place taken it waits for one, and can be stopped meanwhile", async () => {
  const { script: hold, started, go } = heldProgram();
  const script: Script = (command, config) => (command.argv[0] === "make" ? hold(command, config) : 0);
  await inScene(script, async (scene) => {
    const [first, second] = [
      await granted(scene, asking("task-one", { at: 2 })),
      await granted(scene, asking("task-two", { at: 2 })),
    ];
    await becomes(scene, first, "waiting");
    await becomes(scene, second, "waiting");
    const busy: string[] = [];
    for (let count = 0; count < LIMITS.runsAtOnce; count += 1) busy.push(await granted(scene, plain(`task-${count}`)));
    await started;
    for (const runId of busy) await becomes(scene, runId, "running");
    await approve(scene, first);
    await approve(scene, second);
    await becomes(scene, first, "running");
    await becomes(scene, second, "running");
    const ledgerOf = async (runId: string) => {
      const shown = await scene.work.show(runId);
      return shown.ok ? shown.value.ledger.map(({ stepName }) => stepName) : [];
    };
    expect(await scene.work.cancel(second, BY)).toMatchObject({ value: { status: "cancelled" } });
    expect([await ledgerOf(first), await ledgerOf(second)]).toEqual([["one"], ["one"]]);
    go();
    for (const runId of [first, ...busy]) await becomes(scene, runId, "done");
    expect(await ledgerOf(first)).toEqual(["one", "two"]);
  });
});

test("[PAR-03] what rests in the middle of changing a place keeps that place to itself; what has begun nothing does not", async () => {
  await inScene(
    () => 0,
    async (scene) => {
      const begun = await granted(scene, asking("task-begun", { at: 2, files: PAGES }));
      await becomes(scene, begun, "waiting");
      const meets = await granted(scene, plain("task-meets", PAGES));
      const other = await granted(scene, plain("task-other", "files: { write: [/srv/other] }\n"));
      await becomes(scene, other, "done");
      expect(await statusOf(scene, meets)).toBe("pending");
      await approve(scene, begun);
      await becomes(scene, meets, "done");
      expect(await statusOf(scene, begun)).toBe("done");
      const unbegun = await granted(scene, asking("task-unbegun", { at: 1, files: PAGES }));
      await becomes(scene, unbegun, "waiting");
      const passes = await granted(scene, plain("task-passes", PAGES));
      await becomes(scene, passes, "done");
      await approve(scene, unbegun);
      await becomes(scene, unbegun, "done");
    },
  );
});
