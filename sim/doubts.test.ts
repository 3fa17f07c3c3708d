import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMemoryVault } from "#stores";
import { isProven, verifyReceipt } from "#policy";
import { receiptTools } from "#runtime";
import { settlementLine, type SettleChoice } from "#model";
import { answerTo, BY } from "./approval-world.ts";
import { inWorld, type World } from "./disk-run.ts";
import {
  closeWork,
  grantPlan,
  openWork,
  OUTSIDE,
  playSandboxes,
  settleAll,
  type Played,
  type Script,
  type Working,
} from "./work-world.ts";

type Doubtful = Working & {
  readonly world: World;
  readonly runId: string;
  /** What programs ran after the doubt was there. */
  readonly sandboxes: Played;
};

/** A Silas that ended in the middle of a step with a place outside, and was started again. */
const inDoubt = (look: (doubtful: Doubtful) => Promise<void>, { plan = OUTSIDE, script = () => 0 }: Scene = {}) =>
  inWorld(5, async (world) => {
    const opening = { dataDir: join(world.root, "data"), vault: createMemoryVault() };
    const { promise: started, resolve: isStarted } = Promise.withResolvers<void>();
    const { promise: never, resolve: end } = Promise.withResolvers<number>();
    const hangs: Script = () => {
      isStarted();
      return never;
    };
    const first = await openWork(world, { ...opening, sandboxes: playSandboxes(join(world.root, "a"), hangs) });
    const runId = await grantPlan(first, plan);
    const running = first.work.runGranted(runId);
    await started;
    const closing = first.work.close();
    end(0);
    await Promise.all([running, closing]);
    first.trust.stores.close();
    const sandboxes = playSandboxes(join(world.root, "b"), script);
    const working = await openWork(world, { ...opening, sandboxes });
    await settleAll(working);
    try {
      await look({ ...working, world, runId, sandboxes });
    } finally {
      await closeWork(working);
    }
  });
type Scene = { readonly plan?: string; readonly script?: Script };

const settle = ({ work, runId }: Doubtful, choice: SettleChoice) => work.doubts.settle(runId, { choice, actor: BY });

describe("a run in doubt", () => {
  test("is listed with what may have happened and where, until somebody decides; nothing runs by itself", async () => {
    await inDoubt(async (doubtful) => {
      const { work, runId, sandboxes } = doubtful;
      expect(await work.doubts.list()).toMatchObject({
        value: [
          {
            runId,
            title: "Make a page",
            reason: "Step write was begun and its end was never seen",
            step: { attempt: 1, number: 1, steps: 2, name: "write", isOpen: true },
            places: ["/srv/pages"],
            checks: 1,
            results: [],
          },
        ],
      });
      expect(sandboxes.ran).toEqual([]);
      expect(await settle(doubtful, "leave")).toMatchObject({ value: { choice: "leave", results: [] } });
      expect(await work.doubts.list()).toMatchObject({ value: [] });
      expect(await settle(doubtful, "happened")).toMatchObject({ error: { code: "run_settled", choice: "leave" } });
      expect(await work.show(runId)).toMatchObject({
        value: { run: { status: "in_doubt" }, settlement: { choice: "leave" } },
      });
      expect(sandboxes.ran).toEqual([]);
    });
  });

  test("that happened goes on to the checks, and repeats no step; passing proves it, failing does not", async () => {
    for (const [code, isVerified] of [
      [0, true],
      [1, false],
    ] as const) {
      await inDoubt(
        async (doubtful) => {
          const { trust, work, runId, sandboxes } = doubtful;
          const settled = await settle(doubtful, "happened");
          expect(settled).toMatchObject({
            value: { choice: "happened", isVerified, results: [{ name: "page is there", passed: isVerified }] },
          });
          expect(sandboxes.ran).toEqual(["look"]);
          const shown = await work.show(runId);
          const receipt = await trust.approvals.receipt(shown.ok ? shown.value.requestId : "");
          expect(isProven(verifyReceipt(receipt.ok ? receipt.value : "", receiptTools))).toBe(true);
          expect(receipt.ok && receipt.value).toContain("settlement_hash");
        },
        { script: () => code },
      );
    }
  });

  test("is checked later than its approval ends, since it began in time, but not after its key was revoked", async () => {
    await inDoubt(async (doubtful) => {
      doubtful.world.clock.moveMs(86_400_000);
      expect(await settle(doubtful, "happened")).toMatchObject({ value: { isVerified: true } });
    });
    await inDoubt(async (doubtful) => {
      const { trust, world, sandboxes } = doubtful;
      const keys = await trust.stores.keys.list();
      const keyId = keys.ok ? keys.value[0]?.keyId : undefined;
      if (keyId === undefined) throw new Error("there is a key");
      await trust.stores.keys.revoke({ keyId, at: world.clock.now(), actor: BY, lastKey: "revoke" });
      expect(await settle(doubtful, "happened")).toMatchObject({
        error: { code: "run_not_settled", reason: "approval_key_revoked" },
      });
      expect(sandboxes.opened()).toBe(0);
      expect(await doubtful.work.doubts.list()).toMatchObject({ value: [{ runId: doubtful.runId }] });
    });
  });

  test("without checks is the owner's word and nothing more", async () => {
    const plan = OUTSIDE.replace(/verify:[\s\S]*?---/, "---");
    await inDoubt(
      async (doubtful) => {
        expect(await settle(doubtful, "happened")).toMatchObject({ value: { isVerified: false, results: [] } });
        expect(doubtful.sandboxes.opened()).toBe(0);
      },
      { plan },
    );
  });

  test("[INV-03] whose checks come out the same whatever is done is not verified by them, and says so", async () => {
    const plan = OUTSIDE.replace(/(verify:[\s\S]*?run: )[^\n,}]+/, "$1echo ok");
    await inDoubt(
      async (doubtful) => {
        const settled = await settle(doubtful, "happened");
        expect(settled).toMatchObject({ value: { isVerified: false, results: [{ passed: true }] } });
        expect(settled.ok && settlementLine(settled.value)).toContain("the same whatever is done");
      },
      { plan },
    );
  });

  test("that is to be run again asks for the same plan, and runs nothing before that is approved", async () => {
    await inDoubt(async (doubtful) => {
      const { trust, work, sandboxes } = doubtful;
      const settled = await settle(doubtful, "again");
      const requestId = (settled.ok && settled.value.requestId) || "";
      const asked = await trust.approvals.show(requestId);
      expect(asked).toMatchObject({ value: { state: "pending", workItemId: "task-steps" } });
      expect(sandboxes.ran).toEqual([]);
      if (!asked.ok) throw new Error("it is asked");
      expect((await trust.approvals.decide(answerTo(asked.value, "approved"))).ok).toBe(true);
      const again = await work.list();
      const granted = again.ok ? again.value.find((one) => one.requestId === requestId) : undefined;
      await work.runGranted(granted?.run.runId ?? "");
      expect(sandboxes.ran).toEqual(["make page", "make end", "look"]);
    });
  });

  test("is asked about only while it is in doubt", async () => {
    await inDoubt(async ({ work, ...doubtful }) => {
      const runId = await grantPlan({ work, ...doubtful }, OUTSIDE.replace("task-steps", "task-other"));
      await work.runGranted(runId);
      expect(await work.doubts.settle(runId, { choice: "leave", actor: BY })).toMatchObject({
        error: { code: "run_not_in_doubt", status: "done" },
      });
      expect(await work.doubts.settle("nobody", { choice: "leave", actor: BY })).toMatchObject({
        error: { code: "run_unknown" },
      });
    });
  });
});
