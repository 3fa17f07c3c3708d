import { join } from "node:path";
import { expect, test } from "vitest";
import { goalDetailToWire, planProposalText, reasonWords, workDetailToWire } from "#model";
import type { Vault } from "#ports";
import { createMemoryVault } from "#stores";
import { answerTo, BY } from "./approval-world.ts";
import { inWorld } from "./disk-run.ts";
import { goalText } from "./goals.fixture.ts";
import {
  closeWork,
  inWorkScene,
  INSIDE,
  openWork,
  playSandboxes,
  runOf,
  settleAll,
  type Working,
} from "./work-world.ts";

const PROJECT = planProposalText({
  plan: "---\nid: project-one\ntype: project\ntitle: All of it\ntasks: [task-one]\n---\n\n# What to do\n\nMake it.\n",
  tasks: [INSIDE.replace("task-steps", "task-one")],
  standing: null,
});
const KINDS = { task: INSIDE, project: PROJECT, goal: goalText() } as const;

type Result = { readonly work_item_id: string; readonly status: string; readonly last_error: string | null };

/** Approves one of each kind, has them all run or looked at, and answers with what came of each. */
async function resultsOf(scene: Working, between: () => Promise<void>): Promise<Record<string, Result | null>> {
  const { trust, work } = scene;
  const requests = new Map<string, string>();
  for (const [kind, text] of Object.entries(KINDS)) {
    const proposed = await trust.approvals.propose(text, BY);
    if (!proposed.ok) throw new Error(JSON.stringify(proposed.error));
    const decided = await trust.approvals.decide(answerTo(proposed.value.request, "approved"));
    if (!decided.ok) throw new Error(decided.error.code);
    requests.set(kind, proposed.value.request.requestId);
  }
  await between();
  await settleAll(scene);
  const results: Record<string, Result | null> = {};
  for (const kind of ["task", "project"]) {
    const shown = await work.show(await runOf(work, { requestId: requests.get(kind) ?? "" }));
    results[kind] = shown.ok ? workDetailToWire(shown.value).result : null;
  }
  await work.goals.check("goal-page", BY);
  const goal = await work.goals.show("goal-page");
  results["goal"] = goal.ok ? goalDetailToWire(goal.value).result : null;
  return results;
}

test("[WORK-10] a task, a project and a goal each begin from the attempt their approval granted, pass one gate, and give one kind of result", async () => {
  await inWorkScene(
    () => 0,
    async (scene) => {
      const results = await resultsOf(scene, async () => {
        const granted = scene.database
          .prepare(
            `SELECT l.work_item_id AS item FROM attempt_lineages l JOIN approval_uses u ON u.lineage_id = l.lineage_id
             ORDER BY l.work_item_id`,
          )
          .all();
        expect(granted.map(({ item }) => item)).toEqual(["goal-page", "project-one", "task-one", "task-steps"]);
      });
      expect(results).toMatchObject({
        task: { work_item_id: "task-steps", status: "done", last_error: null },
        project: { work_item_id: "project-one", status: "done", last_error: null },
        goal: { work_item_id: "goal-page", status: "healthy", last_error: null },
      });
      const fields = Object.values(results).map((result) => Object.keys(result ?? {}).toSorted());
      expect(fields).toEqual([fields[0], fields[0], fields[0]]);
      expect(fields[0]).toContain("verification_results");
    },
  );
});

test("[WORK-10] the gate of all three is the same: with a revoked key none of them opens anything, and each says the same reason", async () => {
  await inWorkScene(
    () => 0,
    async (scene) => {
      const { trust, world, sandboxes } = scene;
      const results = await resultsOf(scene, async () => {
        const keys = await trust.stores.keys.list();
        for (const { keyId } of keys.ok ? keys.value : []) {
          await trust.stores.keys.revoke({ keyId, at: world.clock.now(), actor: BY, lastKey: "revoke" });
        }
      });
      expect(sandboxes.opened()).toBe(0);
      for (const [kind, result] of Object.entries(results)) {
        expect(result, kind).toMatchObject({ status: "blocked" });
        // Of a goal the cycle keeps the code, and its surfaces have the words.
        const reason = kind === "goal" ? "approval_key_revoked" : reasonWords("approval_key_revoked");
        expect(result?.last_error, kind).toContain(reason);
      }
    },
  );
});

test("[WORK-10] nothing between a granted attempt and its result asks for a key: what the vault holds is not read", async () => {
  await inWorld(3, async (world) => {
    const held = createMemoryVault();
    const read: string[] = [];
    const vault: Vault = { ...held, get: (ref) => (read.push(ref), held.get(ref)) };
    const sandboxes = playSandboxes(join(world.root, "spaces"));
    const working = await openWork(world, { dataDir: join(world.root, "data"), vault, sandboxes });
    try {
      const results = await resultsOf(working, async () => {
        // The owner's key signed the approvals, and that is all it is for.
        expect(read.length).toBeGreaterThan(0);
        read.length = 0;
      });
      expect(Object.values(results).map((result) => result?.status)).toEqual(["done", "done", "healthy"]);
      expect(read).toEqual([]);
    } finally {
      await closeWork(working);
    }
  });
});
