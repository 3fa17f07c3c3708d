import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RUNTIME_FILE } from "./approval-world.ts";
import { checkIntegrity, createCutting, lookAtEach } from "./disk.ts";
import { inWorld } from "./disk-run.ts";
import { approve, cyclesOf, goalText, openGoals, setClock } from "./goals.fixture.ts";

const STANDING = { max_executions: 3, expires_at: "2026-12-01T00:00:00.000Z" };

function numbersOf(dataDir: string): { readonly uses: number; readonly runs: number; readonly repairs: number } {
  const database = new DatabaseSync(join(dataDir, RUNTIME_FILE));
  const count = (sql: string): number => Number(database.prepare(sql).get()?.["n"]);
  try {
    return {
      uses: count("SELECT count(*) AS n FROM audit_entries WHERE event = 'approval_used'"),
      runs: count("SELECT count(*) AS n FROM work_runs WHERE ended_at IS NOT NULL"),
      repairs: count("SELECT count(*) AS n FROM goal_cycles WHERE run_id IS NOT NULL"),
    };
  } finally {
    database.close();
  }
}

test("[GOAL-04] [GOAL-05] ended at every write of a look that repairs, Silas goes on: one failure, one use, one run, and the goal is well", () =>
  inWorld(1, async (world) => {
    setClock(world, "2026-11-10T09:00:00.000Z");
    const dataDir = join(world.root, "data");
    let ranNow = (): readonly string[] => [];
    const into = join(world.root, "cuts");
    const cutting = createCutting({ dataDir, file: RUNTIME_FILE, into, see: () => ranNow() });
    const silas = await openGoals(world, { dataDir, onStatement: cutting.onStatement });
    ranNow = () => [...silas.sandboxes.ran];
    await silas.work.start();
    await approve(silas, goalText({ standing: STANDING }));
    silas.page.isThere = false;
    cutting.start();
    await silas.pass(1);
    cutting.finish();
    expect((await cyclesOf(silas))[0]).toMatchObject({ ended: "healthy", repair: { status: "done" } });
    await silas.close();
    const states = await lookAtEach(cutting.cuts(), {
      file: RUNTIME_FILE,
      into: join(world.root, "then"),
      async look(dir, ran) {
        const page = { isThere: ran.includes("make page"), canBeRepaired: true };
        const again = await openGoals(world, { dataDir: dir, vault: silas.vault, page });
        await again.work.start();
        await again.settle();
        await again.pass(2);
        const [newest] = await cyclesOf(again);
        expect(newest).toMatchObject({ ended: "healthy" });
        const verdict = await again.trust.stores.audit.verify("genesis");
        expect(verdict.ok && verdict.value.valid).toBe(true);
        await again.close();
        const numbers = numbersOf(dir);
        // A repair that was made has its one use and its one run, and one that was not made has neither.
        expect(numbers).toEqual({ uses: numbers.repairs, runs: numbers.repairs, repairs: numbers.repairs });
        expect(numbers.repairs).toBeLessThanOrEqual(1);
        checkIntegrity(join(dir, RUNTIME_FILE));
      },
    });
    expect(states).toBeGreaterThan(10);
  }));
