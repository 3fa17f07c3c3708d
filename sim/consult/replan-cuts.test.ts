import { join } from "node:path";
import { expect, test } from "vitest";
import { createMemoryModels } from "#gateway";
import { createMemoryVault } from "#stores";
import { RUNTIME_FILE } from "../approval-world.ts";
import { checkIntegrity, createCutting, lookAtEach } from "../disk.ts";
import { inWorld } from "../disk-run.ts";
import { closeWork, grantPlan, openWork, playSandboxes, settleAll } from "../work-world.ts";
import { FIRST, OTHER, revise, waiting } from "./replan.fixture.ts";

/** Every state of the disk from the end of the run to the card, each opened again. */
test("[CONSULT-11] wherever Silas is killed, the question to the planner is asked at most once, ends, and asks the owner about one card at most", async () => {
  await inWorld(9, async (world) => {
    const dataDir = join(world.root, "data");
    const vault = createMemoryVault();
    const spaces = join(world.root, "spaces");
    const failing = () => playSandboxes(spaces, () => 1);
    const first = createMemoryModels(() => revise(OTHER));
    const into = join(world.root, "cuts");
    const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into, see: () => [String(first.asked.length)] });
    const opening = { dataDir, vault, sandboxes: failing(), models: first };
    let isAsking = false;
    const onStatement = (sql: string): void => {
      if (!isAsking && sql.includes("INSERT INTO consultations")) {
        isAsking = true;
        cutting.start();
      }
      cutting.onStatement(sql);
    };
    const working = await openWork(world, { ...opening, onStatement });
    const runId = await grantPlan(working, FIRST.replace("max_attempts: 3", "max_attempts: 1"));
    await working.work.runGranted(runId);
    cutting.finish();
    expect(await waiting(working)).toHaveLength(1);
    await closeWork(working);
    const seen = new Set<string>();
    const look = async (dir: string, before: readonly string[]): Promise<void> => {
      const models = createMemoryModels(() => revise(OTHER));
      const again = await openWork(world, { dataDir: dir, vault, sandboxes: failing(), models });
      await settleAll(again);
      await again.work.runGranted(runId);
      const shown = await again.work.show(runId);
      const [consult, ...more] = shown.ok ? (shown.value.consults ?? []) : [];
      expect(more).toEqual([]);
      expect(["ended", "failed"]).toContain(consult?.state);
      seen.add(consult?.failure ?? "proposed");
      const cards = await waiting(again);
      expect(cards.map(({ requestId }) => requestId)).toEqual(
        consult?.state === "ended" ? [consult.requestId] : cards.slice(0, 0),
      );
      // What was asked before the kill is not asked again.
      expect(Number(before[0] ?? 0) + models.asked.length).toBeLessThanOrEqual(1);
      const verdict = await again.trust.stores.audit.verify("genesis");
      expect(verdict).toMatchObject({ ok: true, value: { valid: true } });
      await closeWork(again);
      checkIntegrity(join(dir, RUNTIME_FILE));
    };
    const states = await lookAtEach(cutting.cuts(), { file: RUNTIME_FILE, into: world.root, look });
    expect(states).toBeGreaterThan(10);
    expect([...seen].toSorted()).toEqual(["consult_interrupted", "proposed"]);
  });
});
