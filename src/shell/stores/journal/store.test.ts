import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { JournalCommit, JournalRecord, OperationId, RecordId } from "#model";
import type { JournalStore } from "#ports";
import { openJournal } from "../open-stores.ts";
import { AT, countingRandom, fixedClock, must, mustFail, tempDir } from "../store.fixture.ts";
import { openWithDriver } from "./journal-store.fixture.ts";

function note(name: string, text: string): JournalCommit {
  const command = { kind: "entry.create", form: "text", occurredAt: AT, text } as const;
  const form = "text" as const;
  const body = { form, occurredAt: AT, text, categoryId: null, taskId: null, workoutType: null, durationSeconds: null };
  return {
    operationId: name as OperationId,
    command,
    commandDigest: sha256Hex(text),
    at: AT,
    subjectId: name as RecordId,
    writes: [{ id: name as RecordId, kind: "entry", body, deleted: false, expectedRevision: null }],
    undoes: null,
  };
}

async function ids(store: JournalStore): Promise<readonly string[]> {
  const found: JournalRecord[] = [];
  for await (const record of store.exportRecords()) found.push(record);
  return found.map((record) => record.id);
}

test("[JOURNAL-10] a full disk refuses the commit, keeps what was there, and counting goes on when there is space", async () => {
  const { db, store } = await openWithDriver();
  const pages = db.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
  db.handle.exec(`PRAGMA max_page_count = ${pages + 8}`);
  let kept = 0;
  let answer = await store.commit(note("n1", "x".repeat(2000)));
  while (answer.ok) {
    kept += 1;
    answer = await store.commit(note(`n${kept + 1}`, "x".repeat(2000)));
  }
  expect(answer.error).toMatchObject({ code: "disk_full", retryable: true });
  expect(kept).toBeGreaterThan(0);
  expect(await ids(store)).toHaveLength(kept);
  db.handle.exec("PRAGMA max_page_count = 100000");
  const next = must(await store.commit(note("later", "there is space again")));
  expect(next.units[0]?.counter).toBe(kept + 1);
});

test("an export shows one moment, whatever is written while it is read", async () => {
  const { store } = await openWithDriver();
  must(await store.commit(note("a", "first")));
  must(await store.commit(note("c", "third")));
  const records = store.exportRecords()[Symbol.asyncIterator]();
  const first = await records.next();
  must(await store.commit(note("b", "between")));
  const second = await records.next();
  expect([first.value?.id, second.value?.id, (await records.next()).done]).toEqual(["a", "c", true]);
});

test("records cannot be removed, only marked", async () => {
  const { db, store } = await openWithDriver();
  must(await store.commit(note("a", "first")));
  expect(() => db.run("DELETE FROM records")).toThrow("never removed");
});

test("the journal refuses by name when its file cannot be written", async () => {
  const dataDir = join(tempDir(), "data");
  await must(await openJournal({ dataDir, clock: fixedClock, random: countingRandom() })).close();
  const fault = mustFail(
    await openJournal({ dataDir: join(dataDir, "db.sqlite"), clock: fixedClock, random: countingRandom() }),
  );
  expect(fault).toMatchObject({ code: "store_failed", file: join(dataDir, "db.sqlite", "db.sqlite") });
});

test("search puts the record first that says a word most, needs every word, and knows word forms", async () => {
  const { store } = await openWithDriver();
  for (const [name, text] of [
    ["a", "milk and bread"],
    ["b", "milk milk milk"],
    ["c", "bread"],
  ] as const) {
    must(await store.commit(note(name, text)));
  }
  const found = async (text: string) => must(await store.answer({ kind: "search", text })).hits.map((hit) => hit.id);
  expect(await found("milk")).toEqual(["b", "a"]);
  expect(await found("bread milk")).toEqual(["a"]);
  expect(await found("breads")).toEqual(["c", "a"]);
});
