import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assert } from "#base";
import { createMemoryVault } from "#stores";
import { BY, RUNTIME_FILE } from "./approval-world.ts";
import { createCutting, lookAtEach } from "./disk.ts";
import { inWorld, type World } from "./disk-run.ts";
import { closeWork, grantPlan, OUTSIDE, openWork, playSandboxes, settleAll } from "./work-world.ts";

const HEADS = "audit-heads.jsonl";

/**
 * Copies `silas.db` at every statement between a plan and the end of its run, and puts each copy back after the end, with
 * what was noted beside the database by then. No copy runs anything again, before or after it is accepted.
 */
async function rollBack(world: World): Promise<{ readonly states: number; readonly held: number }> {
  const dataDir = join(world.root, "data");
  const vault = createMemoryVault();
  const sandboxes = playSandboxes(join(world.root, "spaces"));
  const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into: join(world.root, "cuts"), see: () => [] });
  const working = await openWork(world, { dataDir, vault, sandboxes, onStatement: cutting.onStatement });
  cutting.start();
  const runId = await grantPlan(working, OUTSIDE);
  await working.work.runGranted(runId);
  cutting.finish();
  assert(sandboxes.ran.includes("make page"), "undisturbed it runs");
  await closeWork(working);
  let held = 0;
  const states = await lookAtEach(cutting.cuts(), {
    file: RUNTIME_FILE,
    into: join(world.root, "back"),
    look: async (dir) => {
      copyFileSync(join(dataDir, HEADS), join(dir, HEADS));
      held += await checkState(world, { dir, vault });
    },
  });
  return { states, held };
}

type State = { readonly dir: string; readonly vault: ReturnType<typeof createMemoryVault> };

/** 1 when the state was held. */
async function checkState(world: World, { dir, vault }: State): Promise<0 | 1> {
  const sandboxes = playSandboxes(join(world.root, "spaces"));
  const working = await openWork(world, { dataDir: dir, vault, sandboxes });
  const { hold } = working.trust.stores;
  const isHeld = hold.current() !== null;
  if (!isHeld) await settleAll(working);
  if (isHeld) {
    const accepted = hold.accept({ at: world.clock.now(), actor: BY });
    assert(accepted.ok && hold.current() === null, "accepting lets writes through");
    await settleAll(working);
    const verdict = await working.trust.stores.audit.verify("genesis");
    assert(verdict.ok && verdict.value.valid, "AUD-02 the chain holds");
  }
  assert(sandboxes.ran.length === 0, "APPR-16 a copy that was put back runs nothing");
  await closeWork(working);
  if (isHeld) {
    const again = await openWork(world, { dataDir: dir, vault, sandboxes });
    assert(again.trust.stores.hold.current() === null, "what was accepted is asked once");
    await closeWork(again);
  }
  return isHeld ? 1 : 0;
}

test("[APPR-16] [NONCE-07] a database put back from any moment between a plan and the end of its run never runs it again", async () => {
  const { states, held } = await inWorld(1, rollBack);
  expect(states).toBeGreaterThan(10);
  expect(held).toBeGreaterThan(5);
  expect(held).toBeLessThan(states);
});
