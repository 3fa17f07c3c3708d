import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BY, answerTo } from "./approval-world.ts";
import { inRealScene } from "./real-sandbox.fixture.ts";
import { grantPlan, runOf } from "./work-world.ts";

const task = (id: string, front: string): string =>
  `---\nid: ${id}\ntype: task\ntitle: ${id}\nbudget: { max_attempts: 1 }\n${front}\n---\n\n# What to do\n\nDo it.\n`;
const makes = (content: string): string =>
  `steps:\n  - { name: make, tool: file_write, args: { path: page.txt, content: "${content}" }, artifacts: { page: page.txt } }`;
const LONG_AGO = new Date(Date.UTC(2020, 0, 1));

test("results of runs that are older than they are kept for are removed at a start, but none that open work names; runs keep the digests", async () => {
  await inRealScene(13, async (scene) => {
    const { work, trust, dataDir } = scene;
    const kept = join(dataDir, "artifacts");
    const digestOf = async (id: string): Promise<string> => {
      const runId = await grantPlan(scene, task(id, makes(id)));
      await work.runGranted(runId);
      const shown = await work.show(runId);
      return (shown.ok ? shown.value.run.artifacts["page"]?.sha256 : undefined) ?? "none";
    };
    const [followed, forgotten, fresh] = [
      await digestOf("followed"),
      await digestOf("forgotten"),
      await digestOf("fresh"),
    ];
    writeFileSync(join(kept, "half.partial"), "left by a crash");
    for (const name of [followed, forgotten, "half.partial"]) utimesSync(join(kept, name), LONG_AGO, LONG_AGO);
    const front =
      'follow_up_of: followed\ninput_artifacts_from: ["*"]\nsteps:\n  - { name: read, run: cat inputs/page }';
    const proposed = await trust.approvals.propose(task("follows", front), BY);
    if (!proposed.ok) throw new Error(proposed.error.code);
    await work.start();
    await expect.poll(() => readdirSync(kept).toSorted()).toEqual([followed, fresh].toSorted());
    await trust.approvals.decide(answerTo(proposed.value.request, "approved"));
    scene.review.changed();
    const runId = await runOf(work, proposed.value.request);
    await expect
      .poll(async () => {
        const shown = await work.show(runId);
        return shown.ok && [shown.value.run.status, shown.value.ledger[0]?.returnValue];
      })
      .toEqual(["done", "followed"]);
    expect(JSON.stringify(await work.list())).toContain(forgotten);
  });
});
