import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { parseYaml } from "#config";
import { reasonWords } from "#model";
import { createMemoryVault } from "#stores";
import { answerTo, BY } from "./approval-world.ts";
import { inWorld, type World } from "./disk-run.ts";
import { closeWork, grantPlan, INSIDE, openWork, playSandboxes, runOf, type Script } from "./work-world.ts";

/** Of `INSIDE`, with its check. */
const STEPS = ["make page", "make end", "look"];
const isPlanRead = (sql: string): boolean => sql.endsWith("WHERE d.request_id = :requestId");

/** Opens work on one and the same data directory, again and again, and counts what is read of plans. */
function counted(world: World) {
  const counts = { reads: 0, parses: 0 };
  const place = { dataDir: join(world.root, "data"), vault: createMemoryVault() };
  /** Comes before the read it tells of. */
  let onRead: (read: number) => void = () => {};
  return {
    counts,
    database: () => new DatabaseSync(join(place.dataDir, "silas.db")),
    beforeRead: (act: (read: number) => void) => void (onRead = act),
    async open(script: Script = () => 0) {
      const sandboxes = playSandboxes(join(world.root, "spaces"), script);
      const working = await openWork(world, {
        ...place,
        sandboxes,
        onStatement: (sql) => {
          if (isPlanRead(sql)) onRead((counts.reads += 1));
        },
        readYaml: (...text) => {
          counts.parses += 1;
          return parseYaml(...text);
        },
      });
      return { ...working, sandboxes };
    },
    forget: () => void Object.assign(counts, { reads: 0, parses: 0 }),
  };
}

test("a run of another process parses its plan once: for its turn; at the gate it is read again, and the same text says the same", async () => {
  await inWorld(5, async (world) => {
    const { counts, open, forget } = counted(world);
    const working = await open();
    const runId = await grantPlan(working, INSIDE);
    await closeWork(working);
    const next = await open();
    forget();
    await next.work.runGranted(runId);
    await closeWork(next);
    expect(next.sandboxes.ran).toEqual(STEPS);
    expect(counts).toEqual({ reads: 2, parses: 1 });
  });
});

test("a plan is parsed when it is proposed and when its approval is verified; what is loaded to run is the same text", async () => {
  await inWorld(5, async (world) => {
    const { counts, open } = counted(world);
    const working = await open();
    const proposed = await working.trust.approvals.propose(INSIDE, BY);
    if (!proposed.ok) throw new Error(proposed.error.code);
    const { request } = proposed.value;
    expect(counts.parses).toBe(1);
    expect((await working.trust.approvals.show(request.requestId)).ok).toBe(true);
    expect(counts.parses).toBe(1);
    expect((await working.trust.approvals.decide(answerTo(request, "approved"))).ok).toBe(true);
    expect(counts.parses).toBe(2);
    const runId = await runOf(working.work, request);
    await working.work.runGranted(runId);
    expect(await working.work.show(runId)).toMatchObject({ value: { run: { status: "done" } } });
    expect(await working.trust.approvals.receipt(request.requestId)).toMatchObject({ ok: true });
    await closeWork(working);
    expect(counts.parses).toBe(2);
  });
});

test("each of several runs that are taken up again parses its plan once", async () => {
  await inWorld(5, async (world) => {
    const { counts, open, forget } = counted(world);
    const runs = 3;
    let begun = 0;
    const [all, leaving] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const before = await open(async () => {
      if ((begun += 1) === runs) all.resolve();
      await leaving.promise;
      return 0;
    });
    const runIds: string[] = [];
    for (let run = 0; run < runs; run += 1) runIds.push(await grantPlan(before, INSIDE));
    const going = Promise.all(runIds.map((runId) => before.work.runGranted(runId)));
    await all.promise;
    const closing = closeWork(before);
    leaving.resolve();
    await Promise.all([going, closing]);
    const after = await open();
    forget();
    await Promise.all(runIds.map((runId) => after.work.runGranted(runId)));
    expect(after.sandboxes.ran.toSorted()).toEqual(
      Array.from({ length: runs }, () => STEPS)
        .flat()
        .toSorted(),
    );
    await closeWork(after);
    expect(counts).toEqual({ reads: 2 * runs, parses: runs });
  });
});

test.each([
  { moment: "its approval and its turn", read: 1 },
  { moment: "its turn and the gate", read: 2 },
])(
  "[INV-01] [INV-02] a plan that is exchanged between $moment is parsed anew, and nothing of it runs",
  async (tampered) => {
    await inWorld(5, async (world) => {
      const { counts, open, forget, database, beforeRead } = counted(world);
      const working = await open();
      const runId = await grantPlan(working, INSIDE);
      forget();
      beforeRead((read) => {
        if (read === tampered.read) exchange(database());
      });
      await working.work.runGranted(runId);
      const shown = await working.work.show(runId);
      expect(shown).toMatchObject({ value: { run: { status: "blocked", attempts: 0 }, ledger: [] } });
      expect(shown.ok && shown.value.run.lastError).toContain(reasonWords("approval_hash_differs"));
      await closeWork(working);
      expect(working.sandboxes.opened()).toBe(0);
      expect(counts.parses).toBe(1);
    });
  },
);

function exchange(database: DatabaseSync): void {
  // Triggers keep honest programs from it; whoever has the file needs no permission.
  const triggers = database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${String(name)}"`);
  database.exec("UPDATE pending_decisions SET markdown = replace(markdown, 'make page', 'make havoc')");
  database.close();
}
