import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planProposalText, type WorkDetail } from "#model";
import { inRealScene, type RealScene } from "./real-sandbox.fixture.ts";
import { grantPlan } from "./work-world.ts";

const task = (id: string, front: string): string =>
  `---\nid: ${id}\ntype: task\ntitle: ${id}\nbudget: { max_attempts: 1 }\n${front}\n---\n\n# What to do\n\nDo it.\n`;

const MAKES = `steps:
  - { name: make, tool: file_write, args: { path: page.txt, content: "first" }, artifacts: { page: page.txt, again: page.txt } }
  - { name: change it later, tool: file_write, args: { path: page.txt, content: "second" } }`;
const SEES = "steps:\n  - { name: look, run: ls -R . }\n  - { name: read, run: cat inputs/page }";

async function run(scene: RealScene, text: string): Promise<WorkDetail> {
  const runId = await grantPlan(scene, text);
  await scene.work.runGranted(runId);
  const shown = await scene.work.show(runId);
  if (!shown.ok) throw new Error("it is shown");
  return shown.value;
}

test("[WORK-15] [PAR-04] a plan that follows another finds exactly the results it names, with the bytes of the ledger, and one that names none finds none", async () => {
  await inRealScene(11, async (scene) => {
    expect((await run(scene, task("makes", MAKES))).run.status).toBe("done");
    const all = await run(scene, task("sees-all", `follow_up_of: makes\ninput_artifacts_from: ["*"]\n${SEES}`));
    expect(all.run.lastError).toBeNull();
    expect(all.ledger.map(({ returnValue }) => returnValue)).toEqual([
      ".:\ninputs\n\n./inputs:\nagain\npage\n",
      "first",
    ]);
    const one = await run(scene, task("sees-one", `follow_up_of: makes\ninput_artifacts_from: [page]\n${SEES}`));
    expect(one.ledger[0]?.returnValue).toBe(".:\ninputs\n\n./inputs:\npage\n");
    const none = await run(scene, task("sees-none", "follow_up_of: makes\nsteps:\n  - { name: look, run: ls }"));
    expect(none.ledger[0]?.returnValue).toBe("");
    expect(none.run.status).toBe("done");
  });
});

test("[WORK-16] what follows work that is not there or not done, or takes over a result it does not have or whose bytes are damaged, is blocked with the reason, and no attempt begins", async () => {
  await inRealScene(12, async (scene) => {
    const takes = `input_artifacts_from: [page]\n${SEES}`;
    const blocked = async (id: string, front: string): Promise<string> => {
      const { run: ended, ledger } = await run(scene, task(id, front));
      expect([ended.status, ended.attempts, ledger.length]).toEqual(["blocked", 0, 0]);
      return ended.lastError ?? "";
    };
    expect(await blocked("no-work", `follow_up_of: nobody\n${takes}`)).toContain("nobody, which is not done");
    expect((await run(scene, task("fails", "steps:\n  - { name: fail, run: /bin/false }"))).run.status).toBe("stuck");
    expect(await blocked("not-done", `follow_up_of: fails\n${takes}`)).toContain("fails, which is not done");
    await run(scene, task("makes", MAKES));
    expect(await blocked("no-key", `follow_up_of: makes\ninput_artifacts_from: [other]\n${SEES}`)).toContain("other");
    const kept = join(scene.dataDir, "artifacts");
    const files = readdirSync(kept);
    expect(files).toHaveLength(1);
    for (const file of files) writeFileSync(join(kept, file), "another");
    expect(await blocked("damaged", `follow_up_of: makes\n${takes}`)).toContain("damaged");
  });
});

test("[WORK-15] [PAR-04] in a project a task takes over what another of its tasks made, and waits for it without saying so", async () => {
  await inRealScene(13, async (scene) => {
    const project = "---\nid: both\ntype: project\ntitle: Both\ntasks: [reads, makes]\n---\n\n# What to do\n\nBoth.\n";
    const reads = task("reads", `follow_up_of: makes\ninput_artifacts_from: [page]\n${SEES}`);
    const text = planProposalText({ plan: project, tasks: [reads, task("makes", MAKES)], standing: null });
    const done = await run(scene, text);
    expect(done.run).toMatchObject({ status: "done", lastError: null });
    expect(done.project?.children.map(({ workItemId, status }) => [workItemId, status])).toEqual([
      ["makes", "done"],
      ["reads", "done"],
    ]);
  });
});
