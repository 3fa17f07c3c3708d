import { join } from "node:path";
import { expect, test } from "vitest";
import { createMemoryModels } from "#gateway";
import { createMemoryVault } from "#stores";
import { RUNTIME_FILE } from "../approval-world.ts";
import { checkIntegrity, createCutting, lookAtEach } from "../disk.ts";
import { inWorld } from "../disk-run.ts";
import { closeWork, grantPlan, openWork, playSandboxes, settleAll } from "../work-world.ts";
import { ADVICE, advising, isPlanner, modelPlan, pageScript, shown } from "./advice.fixture.ts";

/** Every state of the disk from the question to the planner to the end of the run, each opened again. */
test("[CONSULT-11] [BUD-05] wherever Silas is killed while a run waits for advice, the planner is asked at most once, the run pays for it once, goes on, and ends", async () => {
  await inWorld(13, async (world) => {
    const dataDir = join(world.root, "data");
    const vault = createMemoryVault();
    const spaces = join(world.root, "spaces");
    const sandboxes = () => playSandboxes(spaces, pageScript());
    const first = createMemoryModels(advising(ADVICE));
    const asked = (models: typeof first): number => models.asked.filter(isPlanner).length;
    const into = join(world.root, "cuts");
    const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into, see: () => [String(asked(first))] });
    let isAsking = false;
    const onStatement = (sql: string): void => {
      if (!isAsking && sql.includes("INSERT INTO consultations")) {
        isAsking = true;
        cutting.start();
      }
      cutting.onStatement(sql);
    };
    const working = await openWork(world, { dataDir, vault, sandboxes: sandboxes(), models: first, onStatement });
    const plan = modelPlan({ budget: ", max_planner_calls: 1", front: "on_stuck: consult_planner\n" });
    const runId = await grantPlan(working, plan);
    await working.work.runGranted(runId);
    cutting.finish();
    expect((await shown(working, runId)).run).toMatchObject({ status: "done", attempts: 4 });
    await closeWork(working);
    const seen = new Set<string>();
    const look = async (dir: string, before: readonly string[]): Promise<void> => {
      const models = createMemoryModels(advising(ADVICE));
      const again = await openWork(world, { dataDir: dir, vault, sandboxes: sandboxes(), models });
      await settleAll(again);
      const { run, ledger, consults = [] } = await shown(again, runId);
      const advice = consults.filter(({ kind }) => kind === "advice");
      // A kill before the question was kept asks it again from the attempt that failed.
      expect(advice.length).toBeLessThanOrEqual(1);
      expect(run.consult).toBeUndefined();
      expect(run.budgetUsed.plannerCalls).toBe(advice.length);
      for (const { state, failure, guidance } of advice) {
        expect(["ended", "failed"]).toContain(state);
        seen.add(failure ?? `${run.status} ${guidance === null}`);
      }
      expect(Number(before[0] ?? 0) + asked(models)).toBeLessThanOrEqual(run.status === "done" ? 1 : 2);
      const paid = await again.trust.stores.consults.find(`consult_planner:${runId}:1`);
      const turns = ledger.reduce((sum, { tokensUsed }) => sum + tokensUsed, 0);
      const planner = paid.ok ? (paid.value?.tokensUsed ?? 0) : 0;
      expect(run.budgetUsed.tokens).toBe(turns + planner);
      const verdict = await again.trust.stores.audit.verify("genesis");
      expect(verdict).toMatchObject({ ok: true, value: { valid: true } });
      await closeWork(again);
      checkIntegrity(join(dir, RUNTIME_FILE));
    };
    const states = await lookAtEach(cutting.cuts(), { file: RUNTIME_FILE, into: world.root, look });
    expect(states).toBeGreaterThan(10);
    expect([...seen].toSorted()).toEqual(["consult_interrupted", "done false"]);
  });
});
