import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { err, ok } from "#base";
import { depth, sampleOf } from "../test/depth.ts";
import { journalInMemory } from "../test/stores-in-memory.ts";
import { withAnomaly } from "./anomaly.ts";
import { cutAuditedAct, failAuditedAct } from "./audit-run.ts";
import { createCutting, lookAtEach } from "./disk.ts";
import { cutJournalCommit, cutMigrations, failJournalCommit, inWorld } from "./disk-run.ts";
import { checkState, loadState } from "./journal-checks.ts";
import { runEveryAnomaly, runJournal } from "./journal-run.ts";
import { killWhileWriting } from "./kill-run.ts";
import { createSeeded, createVirtualClock } from "./seeded.ts";

test("the same seed gives the same bytes, another seed others", async () => {
  const [first, second, other] = [
    await runJournal({ seed: 7 }),
    await runJournal({ seed: 7 }),
    await runJournal({ seed: 8 }),
  ];
  expect(second.transcript).toBe(first.transcript);
  expect(other.transcript).not.toBe(first.transcript);
});

test("[JOURNAL-11] any call may fail before or after its effect: sending the operation again leads to the same state", async () => {
  const { runs, clean } = await runEveryAnomaly(3);
  expect(runs).toBe(clean.calls * 2);
});

test("moments that left the same bytes and the same outside are looked at once, and all others each", () =>
  inWorld(1, async ({ root }) => {
    const outside: string[] = [];
    const place = { file: "one.db", into: join(root, "cuts") };
    const cutting = createCutting({ dataDir: root, ...place, see: () => [...outside] });
    const database = new DatabaseSync(join(root, place.file));
    const run = (sql: string): void => {
      cutting.onStatement(sql);
      database.exec(sql);
    };
    database.exec("CREATE TABLE rows (value TEXT)");
    cutting.start();
    run("INSERT INTO rows VALUES ('a')");
    // These leave the file as it was, while something happens outside.
    run("PRAGMA user_version");
    outside.push("sent");
    run("PRAGMA user_version");
    run("PRAGMA user_version");
    run("INSERT INTO rows VALUES ('b')");
    cutting.finish();
    const looks: string[] = [];
    const look = async (dir: string, seen: readonly string[]): Promise<void> => {
      const copy = new DatabaseSync(join(dir, place.file), { readOnly: true });
      looks.push(`${copy.prepare("SELECT group_concat(value, '') AS rows FROM rows").get()?.["rows"]} ${seen.join()}`);
      copy.close();
    };
    expect(await lookAtEach(cutting.cuts(), { ...place, into: root, look })).toBe(6);
    expect(looks).toEqual(["null ", "a ", "a sent", "ab sent"]);
    // Whoever picks one of them sees it.
    await lookAtEach(cutting.cuts().slice(3, 4), { ...place, into: root, look });
    expect(looks).toHaveLength(5);
    database.close();
  }));

test("[JOURNAL-12] a follow-up cut at any write boundary of a real file is there whole or not at all", async () => {
  const { states } = await cutJournalCommit(1, (all) => sampleOf(all, 4));
  expect(states).toBeGreaterThan(50);
});

test("[JOURNAL-12] a disk that fails at any statement leaves everything as before, and the next try succeeds", async () => {
  const { states } = await failJournalCommit(2);
  expect(states).toBeGreaterThan(30);
});

test("[MIG-06] a migration cut at any write boundary is recorded and applied or neither, and no record is lost", async () => {
  const { states } = await cutMigrations(1, (all) => sampleOf(all, 4));
  expect(states).toBeGreaterThan(100);
});

test("[AUD-01] a sign-in cut at any write boundary is there with its entry or not at all, and the chain verifies", async () => {
  const { states } = await cutAuditedAct(1);
  expect(states).toBeGreaterThan(10);
});

test("[AUD-01] a disk that fails at any statement of an act keeps neither the act nor its entry", async () => {
  const { states } = await failAuditedAct(2);
  expect(states).toBeGreaterThan(10);
});

test("[JOURNAL-10] a writer killed again and again loses nothing it acknowledged and leaves no gap in its counters", async () => {
  const kills = depth({ sample: 5, every: 50 });
  const { acknowledged } = await killWhileWriting({ seed: 1, kills });
  expect(acknowledged).toBeGreaterThanOrEqual(kills);
});

test("the checks see a gap in the counters and a lost version", async () => {
  const { state } = await runJournal({ seed: 1 });
  const { records, changes } = JSON.parse(state) as Awaited<ReturnType<typeof loadState>>;
  expect(() => checkState({ records, changes }, "host-sim")).not.toThrow();
  expect(() => checkState({ records, changes: changes.toSpliced(1, 1) }, "host-sim")).toThrow("JOURNAL-10");
  expect(() => checkState({ records: records.slice(1), changes }, "host-sim")).toThrow("JOURNAL-10");
});

test("an anomaly hits exactly the named call, before or after its effect", async () => {
  const inner = journalInMemory("host-a");
  const { store, calls } = withAnomaly(inner, { call: 2, when: "before" });
  expect((await store.read([])).ok).toBe(true);
  expect(await store.read([])).toEqual(err({ code: "store_failed", retryable: false }));
  expect(await store.answer({ kind: "labels" })).toEqual(ok([]));
  expect(calls()).toBe(3);
});

test("chance and time come from the seed alone", () => {
  const [a, b] = [createSeeded(5), createSeeded(5)];
  expect([...a.bytes(8), a.below(100)]).toEqual([...b.bytes(8), b.below(100)]);
  const clock = createVirtualClock(0);
  clock.moveMs(-1);
  expect(clock.now()).toBe("1969-12-31T23:59:59.999Z");
});
