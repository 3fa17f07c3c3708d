import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import { readExecution, type RunSettlement } from "#model";
import { at, must } from "./journal-fixture.ts";
import { changeOf, entryNamed, openFile, openMemory, recorded, runNamed, type Opened } from "./work-fixture.ts";

const BY = { kind: "terminal" } as const;
const LONG = "y".repeat(4_000);

const settlementFor = (name: string, over: Partial<RunSettlement> = {}): RunSettlement => ({
  runId: `run-${name}`,
  choice: "leave",
  at: at(5),
  isVerified: false,
  results: [],
  requestId: null,
  ...over,
});

/** A run that was begun, did one step and ended. */
async function ended({ work, grant }: Opened, name: string, status: "done" | "in_doubt" = "in_doubt"): Promise<void> {
  await grant(name);
  must(await work.begin(changeOf(runNamed(name), { entries: [entryNamed(name)], events: [{ kind: "run_started" }] })));
  const step = entryNamed(name, { state: "ended", success: true, returnValue: LONG, endedAt: at(2), durationMs: 1.5 });
  const run = runNamed(name, { status, endedAt: at(3), lastError: status === "done" ? null : "Interrupted" });
  must(await work.save(changeOf(run, { entries: [step], events: [{ kind: "run_ended" }] })));
}

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("what became of runs (%s)", (_name, open) => {
  test("a run in doubt waits to be settled, oldest first, and is settled once, with its entry in the chain", async () => {
    const opened = await open();
    const { work, audit } = opened;
    await ended(opened, "b");
    await ended(opened, "a");
    await ended(opened, "c", "done");
    expect(must(await work.inDoubt()).map(({ runId }) => runId)).toEqual(["run-a", "run-b"]);
    expect(must(await work.countInDoubt())).toBe(2);
    const results = [{ name: "page is there", passed: true, reason: "Passed", output: "1\n", exitCode: 0 }];
    const settlement = settlementFor("a", { choice: "happened", isVerified: true, results });
    must(await work.settle({ settlement, actor: BY }));
    expect(must(await work.settlementOf("run-a"))).toEqual(settlement);
    expect(must(await work.settlementOf("run-b"))).toBeNull();
    expect(must(await work.inDoubt()).map(({ runId }) => runId)).toEqual(["run-b"]);
    expect(must(await work.countInDoubt())).toBe(1);
    expect(await work.settle({ settlement: settlementFor("a"), actor: BY })).toMatchObject({
      error: { code: "run_settled", choice: "happened" },
    });
    expect(await work.settle({ settlement: settlementFor("c"), actor: BY })).toMatchObject({
      error: { code: "run_not_in_doubt", status: "done" },
    });
    expect(await work.settle({ settlement: settlementFor("x"), actor: BY })).toMatchObject({
      error: { code: "run_unknown" },
    });
    expect(must(await work.find("run-a"))).toMatchObject({ status: "in_doubt" });
    expect((await recorded(audit)).filter((event) => event === "run_settled")).toHaveLength(1);
  });

  test("what was run on a decision is one text, and its hash and that of the decision about it are in the chain", async () => {
    const opened = await open();
    const { work, grant } = opened;
    await ended(opened, "a");
    await ended(opened, "b", "done");
    await grant("waits");
    must(await work.settle({ settlement: settlementFor("a"), actor: BY }));
    const [execution, ...others] = must(await work.executions("request-a"));
    expect(others).toEqual([]);
    if (execution === undefined) throw new Error("one run");
    expect(readExecution(execution.record)).toMatchObject({ run: { run_id: "run-a", status: "in_doubt" } });
    expect(execution.record).toContain(sha256Hex(LONG));
    expect(execution.record).not.toContain(LONG);
    const said = execution.audit.map(({ text }) => JSON.parse(text) as { event: string; data: Record<string, string> });
    expect(said.map(({ event }) => event)).toEqual(["run_started", "run_ended", "run_settled"]);
    expect(said[1]?.data["execution_hash"]).toBe(sha256Hex(execution.record));
    expect(said[2]?.data["settlement_hash"]).toBe(sha256Hex(execution.settlement ?? ""));
    expect(must(await work.executions("request-b"))).toMatchObject([{ settlement: null }]);
    expect(must(await work.executions("request-waits"))).toEqual([]);
  });
});

test("the file itself refuses to change or to lose what was decided about a run", async () => {
  const opened = await openFile();
  await ended(opened, "a");
  must(await opened.work.settle({ settlement: settlementFor("a"), actor: BY }));
  const database = new DatabaseSync(join(opened.dataDir, "silas.db"));
  for (const sql of [
    "UPDATE run_settlements SET choice = 'happened'",
    "DELETE FROM run_settlements",
    "INSERT INTO run_settlements SELECT 'foreign', choice, record FROM run_settlements",
  ]) {
    expect(() => database.exec(sql), sql).toThrow(/never|FOREIGN/);
  }
  database.close();
});

test("a run whose end was recorded by an older Silas, without a hash, is in no receipt", async () => {
  const opened = await openFile();
  await ended(opened, "a");
  const database = new DatabaseSync(join(opened.dataDir, "silas.db"));
  database.exec("DROP TRIGGER IF EXISTS audit_entries_stay");
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()) {
    database.exec(`DROP TRIGGER "${String(name)}"`);
  }
  database.exec(`UPDATE audit_entries SET entry = json_remove(entry, '$.data.execution_hash')`);
  database.close();
  expect(must(await opened.work.executions("request-a"))).toEqual([]);
});
