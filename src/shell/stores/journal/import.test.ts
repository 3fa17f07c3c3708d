import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { HostId, JournalCommit, JournalRecord, OperationId, RecordId } from "#model";
import type { JournalStore } from "#ports";
import { AT, must } from "../store.fixture.ts";
import { openWithDriver } from "./journal-store.fixture.ts";

const HOST = "host-b" as HostId;
const label = (index: number): JournalRecord => ({
  id: `l${String(index).padStart(5, "0")}` as RecordId,
  kind: "label",
  body: { name: `word${index} 日${index % 7}本` },
  createdAt: AT,
  updatedAt: AT,
  deletedAt: null,
  revision: 1,
  hostId: HOST,
  counter: index + 1,
  vectorClock: { [HOST]: index + 1 },
});
const MANY = Array.from({ length: 3000 }, (_, index) => label(index));

function commit(name: string): JournalCommit {
  const command = { kind: "label.create", name } as const;
  return {
    operationId: name as OperationId,
    command,
    commandDigest: sha256Hex(name),
    at: AT,
    subjectId: null,
    writes: [{ id: name as RecordId, kind: "label", body: { name }, deleted: false, expectedRevision: null }],
    undoes: null,
  };
}

const labels = async (store: JournalStore) => must(await store.answer({ kind: "labels" })).length;

test("while an import runs others read the journal as it was, and writers wait for its end", async () => {
  const { store } = await openWithDriver();
  must(await store.commit(commit("first")));
  const progress = { isDone: false };
  const importing = store.importRecords(MANY).then((result) => {
    progress.isDone = true;
    return must(result);
  });
  const writing = store.commit(commit("second")).then((result) => [progress.isDone, must(result).units[0]?.counter]);
  const seen = new Set<number>();
  while (!progress.isDone) {
    const count = await labels(store);
    seen.add(count);
    await new Promise((resolve) => void setImmediate(resolve));
  }
  expect((await importing).records).toHaveLength(MANY.length);
  expect(await writing).toEqual([true, 2]);
  // One look may fall between the commit and the news of it.
  expect([...seen].filter((count) => count !== 1 && count < MANY.length)).toEqual([]);
  expect(seen.has(1)).toBe(true);
  expect(await labels(store)).toBe(MANY.length + 2);
});

test("an import that fails on its way leaves nothing, and the next write goes on", async () => {
  let left = Number.POSITIVE_INFINITY;
  const { store } = await openWithDriver((sql) => {
    if (sql.startsWith("INSERT INTO records") && (left -= 1) < 0) throw Object.assign(new Error("no"), { code: "EIO" });
  });
  left = 2500;
  expect(await store.importRecords(MANY)).toMatchObject({ ok: false, error: { code: "store_failed" } });
  left = Number.POSITIVE_INFINITY;
  expect(await labels(store)).toBe(0);
  expect(must(await store.answer({ kind: "search", text: "word7" })).hits).toEqual([]);
  expect(must(await store.commit(commit("after"))).units[0]?.counter).toBe(1);
});

test("after commits, imports and replacements the search index says exactly what the records say", async () => {
  const { db, store } = await openWithDriver();
  must(await store.commit(commit("l00003")));
  must(await store.importRecords(MANY));
  must(await store.importRecords(MANY.slice(0, 5).map((record) => ({ ...record, deletedAt: AT }))));
  db.run("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)");
  const found = async (text: string) => must(await store.answer({ kind: "search", text })).hits.map((hit) => hit.id);
  expect(await found("word3")).not.toContain("l00003");
  expect(await found("word2999")).toEqual(["l02999"]);
  expect(await found("日2本 word100")).toEqual(expect.arrayContaining(["l00100"]));
});
