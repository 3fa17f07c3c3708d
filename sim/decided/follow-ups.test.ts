import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { assert, msOfInstant } from "#base";
import type { KeptRequest } from "#model";
import { BY, RUNTIME_FILE } from "../approval-world.ts";
import { batchOf } from "../batch-cuts.ts";
import { inWorld } from "../disk-run.ts";
import { loggedFaults } from "../faults/every-statement.ts";
import { answer, goalText, openGoals, type GoalWorld } from "../goals.fixture.ts";
import { until } from "../work-world.ts";

type Case = {
  readonly what: string;
  readonly ask: (silas: GoalWorld) => Promise<KeptRequest>;
  readonly verdict: "approved" | "declined";
  /** Fails while the disk is full; everything else is taken. */
  readonly effect: RegExp;
  readonly isSettled: (silas: GoalWorld) => Promise<boolean>;
};

const CASES: readonly Case[] = [
  {
    what: "an approved goal is scheduled",
    async ask({ trust }) {
      const proposed = await trust.approvals.propose(goalText(), BY);
      assert(proposed.ok, "a goal is proposed");
      return proposed.value.request;
    },
    verdict: "approved",
    effect: /INSERT INTO goals/,
    async isSettled({ trust }) {
      const goal = await trust.stores.goals.find("goal-page");
      return goal.ok && goal.value !== null && goal.value.nextDue !== null;
    },
  },
  {
    what: "the batch after a declined one is asked about",
    async ask({ trust, work, world }) {
      const batches = ["a", "b"].map((name) => {
        const moves = [{ from: `${name}.pdf`, to: `Documents/${name}.pdf`, bytes: name }];
        return batchOf({ name, folder: "/srv/files", moves, at: world.clock.now() });
      });
      const added = await trust.stores.batches.addSeries({ seriesId: "series", goalId: "goal", batches });
      assert(added.ok && (await work.batches.next()).ok, "the first of two batches is asked about");
      const waiting = await trust.stores.approvals.list(["pending"]);
      const [request] = waiting.ok ? waiting.value : [];
      assert(request !== undefined, "the first batch waits");
      return request;
    },
    verdict: "declined",
    effect: /UPDATE batch_series/,
    async isSettled({ trust }) {
      const unasked = await trust.stores.batches.nextOfSeries();
      const waiting = await trust.stores.approvals.list(["pending"]);
      return unasked.ok && unasked.value.length === 0 && waiting.ok && waiting.value.length === 1;
    },
  },
];

/** Decisions that are not settled. */
function waitingIn({ dataDir }: GoalWorld): readonly unknown[] {
  const file = new DatabaseSync(join(dataDir, RUNTIME_FILE), { readOnly: true });
  const rows = file.prepare("SELECT message_id FROM queue WHERE kind = 'decided'").all();
  file.close();
  return rows;
}

type Faulty = { readonly silas: GoalWorld; readonly free: () => void; readonly again: () => Promise<GoalWorld> };

/** A decision whose effect meets a full disk, after its commit. No page and no part is told of any change. */
function afterFault({ ask, verdict, effect, isSettled }: Case, look: (faulty: Faulty) => Promise<void>): Promise<void> {
  return inWorld(17, async (world) => {
    let isFull = false;
    const onStatement = (sql: string): void => {
      if (isFull && effect.test(sql)) throw Object.assign(new Error("full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
    };
    const faults = loggedFaults();
    const silas = await openGoals(world, { onStatement, log: faults.log });
    await silas.work.start();
    const request = await ask(silas);
    isFull = true;
    await answer(silas, { request, verdict });
    await until(() => faults.events().includes("decision_not_settled"));
    expect(await isSettled(silas)).toBe(false);
    const free = (): void => void (isFull = false);
    await look({ silas, free, again: () => openGoals(world, { vault: silas.vault, dataDir: silas.dataDir }) });
  });
}

describe.each(CASES)("$what", (one) => {
  test("[FLOW-06] once the store takes it again, though nothing else changes", () =>
    afterFault(one, async ({ silas, free }) => {
      free();
      await until(() => {
        silas.timers.next(msOfInstant(silas.world.clock.now()) + 600_000);
        return waitingIn(silas).length === 0;
      });
      expect(await one.isSettled(silas)).toBe(true);
      await silas.close();
    }));

  test("[FLOW-06] after a restart", () =>
    afterFault(one, async ({ silas, free, again }) => {
      await silas.close();
      free();
      const next = await again();
      expect(waitingIn(next)).toHaveLength(1);
      // Only the reader of decisions begins, and nothing that looks at a start for what was left.
      await next.work.decisions.start();
      await until(() => waitingIn(next).length === 0);
      expect(await one.isSettled(next)).toBe(true);
      await next.close();
    }));
});
