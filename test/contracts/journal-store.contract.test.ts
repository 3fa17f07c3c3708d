import { describe, expect, test } from "vitest";
import type { HostId, JournalRecord, OperationId } from "#model";
import type { JournalStore } from "#ports";
import { at, commitOf, id, must, openFile, openMemory, write } from "./journal-fixture.ts";

const open = { tasks: "open" } as const;
const today = "2026-11-15" as never;

async function titles(store: JournalStore, view: "open" | "today" | "upcoming" | "inbox" | "done" | "archived") {
  const page = must(await store.answer({ kind: "tasks", view, today }));
  return page.rows.map((row) => row.task.body.title);
}

async function all(records: AsyncIterable<JournalRecord>): Promise<readonly JournalRecord[]> {
  const found: JournalRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
}

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the journal store (%s)", (_name, openStore) => {
  test("[JOURNAL-10] a commit stores each version with its host, its counter and a clock that carries it", async () => {
    const store = await openStore();
    const first = must(
      await store.commit(commitOf("op1", [write({ id: "t1", kind: "task" }), write({ id: "l1", kind: "link" })])),
    );
    expect(first.units).toEqual([
      { origin: "sync", hostId: store.hostId, counter: 1, payloadType: "journalEntity", payloadId: "t1" },
      { origin: "sync", hostId: store.hostId, counter: 2, payloadType: "entryLink", payloadId: "l1" },
    ]);
    expect(first.records[0]).toMatchObject({ revision: 1, createdAt: at(0), vectorClock: { [store.hostId]: 1 } });

    const changed = write({ id: "t1", kind: "task", sees: 1, body: { title: "Call Ben" } });
    const second = must(await store.commit(commitOf("op2", [changed], { at: at(5) })));
    expect(second.records[0]).toMatchObject({
      revision: 2,
      counter: 3,
      createdAt: at(0),
      updatedAt: at(5),
      vectorClock: { [store.hostId]: 3 },
    });
    const changes = must(await store.answer({ kind: "changes", after: 1 }));
    expect(changes.map(({ counter, payloadId }) => [counter, payloadId])).toEqual([
      [2, "l1"],
      [3, "t1"],
    ]);
  });

  test("[JOURNAL-10] a refused commit gives its counters back: the next one continues without a gap", async () => {
    const store = await openStore();
    must(await store.commit(commitOf("op1", [write({ id: "t1", kind: "task" })])));
    const writes = [write({ id: "t2", kind: "task" }), write({ id: "t1", kind: "task", sees: 7 })];
    const refused = await store.commit(commitOf("op2", writes));
    expect(refused).toEqual({ ok: false, error: { code: "stale_revision", id: "t1" } });
    const facts = must(await store.read([{ kind: "ids", ids: [id("t2")] }]));
    expect(facts.records.size).toBe(0);
    expect(must(await store.answer({ kind: "operation", id: "op2" as OperationId }))).toBeNull();
    const next = must(await store.commit(commitOf("op3", [write({ id: "t3", kind: "task" })])));
    expect(next.units[0]?.counter).toBe(2);
  });

  test("a record that must not exist yet is refused when it does, deleted or not", async () => {
    const store = await openStore();
    must(await store.commit(commitOf("op1", [write({ id: "t1", kind: "task" })])));
    must(await store.commit(commitOf("op2", [write({ id: "t1", kind: "task", sees: 1, deleted: true })])));
    const again = await store.commit(commitOf("op3", [write({ id: "t1", kind: "task" })]));
    expect(again).toEqual({ ok: false, error: { code: "stale_revision", id: "t1" } });
  });

  test("[JOURNAL-11] an operation is applied once and remembered with its images", async () => {
    const store = await openStore();
    const created = must(await store.commit(commitOf("op1", [write({ id: "t1", kind: "task" })])));
    const change = commitOf("op2", [
      write({ id: "t1", kind: "task", sees: 1, body: { title: "Call Ben" } }),
      write({ id: "t2", kind: "task" }),
    ]);
    must(await store.commit(change));
    const replay = await store.commit({ ...change, at: at(9), writes: [] });
    expect(replay.ok).toBe(false);
    if (replay.ok || replay.error.code !== "operation_exists") throw new Error("expected operation_exists");
    expect(replay.error.operation).toMatchObject({
      operationId: "op2",
      commandDigest: change.commandDigest,
      command: change.command,
      at: at(0),
      recordIds: ["t1", "t2"],
      before: created.records,
      undoneBy: null,
    });
    expect([...replay.error.operation.revisions]).toEqual([
      ["t1", 2],
      ["t2", 1],
    ]);
    const facts = must(await store.read([{ kind: "operation", id: "op2" as OperationId }]));
    expect([...facts.records.keys()].toSorted()).toEqual(["t1", "t2"]);
    expect(facts.operations.get("op2" as OperationId)).toEqual(replay.error.operation);
  });

  test("an undo marks what it takes back", async () => {
    const store = await openStore();
    must(await store.commit(commitOf("op1", [write({ id: "t1", kind: "task" })])));
    const undo = [write({ id: "t1", kind: "task", sees: 1, deleted: true })];
    must(await store.commit(commitOf("op2", undo, { undoes: "op1" as OperationId })));
    const rows = must(await store.answer({ kind: "operations" }));
    expect(rows.map((row) => [row.operationId, row.undoneBy, row.title])).toEqual([
      ["op2", null, "Call Ana"],
      ["op1", "op2", "Call Ana"],
    ]);
  });

  test("reads: tree, place, running, links and all give the live records they name", async () => {
    const store = await openStore();
    must(
      await store.commit(
        commitOf("op1", [
          write({ id: "t1", kind: "task", body: { order: "b" } }),
          write({ id: "t2", kind: "task", body: { order: "a" } }),
          write({ id: "t3", kind: "task", body: { order: "c" } }),
          write({ id: "c1", kind: "checklist" }),
          write({ id: "i1", kind: "checklistItem" }),
          write({ id: "i2", kind: "checklistItem", deleted: true }),
          write({ id: "e1", kind: "timeEntry", body: { taskId: id("t1"), endedAt: null } }),
          write({ id: "l1", kind: "link" }),
          write({ id: "k1", kind: "category" }),
          write({ id: "b1", kind: "label" }),
        ]),
      ),
    );
    const ids = async (read: Parameters<JournalStore["read"]>[0][number]) =>
      [...must(await store.read([read])).records.keys()].toSorted();
    expect(await ids({ kind: "tree", id: id("t1") })).toEqual(["c1", "e1", "i1", "t1"]);
    expect(await ids({ kind: "place", of: "task", at: "first" })).toEqual(["t2"]);
    expect(await ids({ kind: "place", of: "task", at: "last" })).toEqual(["t3"]);
    expect(await ids({ kind: "place", of: "task", at: { after: id("t1") } })).toEqual(["t1", "t3"]);
    expect(await ids({ kind: "place", of: "task", at: { after: id("t3") } })).toEqual(["t3"]);
    expect(await ids({ kind: "place", of: "task", at: { after: id("none") } })).toEqual([]);
    expect(await ids({ kind: "place", of: "category", at: "first" })).toEqual(["k1"]);
    expect(await ids({ kind: "running" })).toEqual(["e1"]);
    expect(await ids({ kind: "links", id: id("t2") })).toEqual(["l1"]);
    expect(await ids({ kind: "all", of: "label" })).toEqual(["b1"]);
    expect(await ids({ kind: "ids", ids: [id("i2"), id("none")] })).toEqual(["i2"]);
  });

  test("the place after a task reaches to the next greater key, past siblings that share its own", async () => {
    const store = await openStore();
    const task = (name: string, order: string) => write({ id: name, kind: "task", body: { order } });
    const tasks = [task("t1", "a"), task("t2", "a"), task("t3", "a"), task("t5", "b"), task("t4", "b")];
    must(await store.commit(commitOf("op1", tasks)));
    for (const name of ["t1", "t2", "t3"]) {
      const { records } = must(await store.read([{ kind: "place", of: "task", at: { after: id(name) } }]));
      expect([...records.keys()]).toEqual([name, "t4"]);
    }
  });

  test("task views show what they say, in their order", async () => {
    const store = await openStore();
    const task = (name: string, body: object) => write({ id: name, kind: "task", body: { title: name, ...body } });
    must(
      await store.commit(
        commitOf("op1", [
          task("late", { order: "d", dueDate: "2026-11-10" as never }),
          task("now", { order: "c", dueDate: today, priority: 3 }),
          task("urgent", { order: "e", dueDate: today, priority: 1 }),
          task("soon", { order: "b", dueDate: "2026-11-16" as never, categoryId: id("k1") }),
          task("free", { order: "a", status: "IN_PROGRESS" }),
          task("done", { order: "f", status: "DONE", concludedAt: at(1) }),
          task("dropped", { order: "g", status: "DROPPED", concludedAt: at(2) }),
          task("away", { order: "h", archivedAt: at(3) }),
        ]),
      ),
    );
    expect(await titles(store, "open")).toEqual(["free", "soon", "now", "late", "urgent"]);
    expect(await titles(store, "today")).toEqual(["late", "urgent", "now"]);
    expect(await titles(store, "upcoming")).toEqual(["soon"]);
    expect(await titles(store, "inbox")).toEqual(["free", "now", "late", "urgent"]);
    expect(await titles(store, "done")).toEqual(["dropped", "done"]);
    expect(await titles(store, "archived")).toEqual(["away"]);
    expect(must(await store.answer({ kind: "counts", today }))).toEqual({
      open: 5,
      today: 3,
      upcoming: 1,
      inbox: 4,
      done: 2,
      archived: 1,
    });
  });

  test("a cursor that is forged, cut or from another list is refused", async () => {
    const store = await openStore();
    const two = [write({ id: "t1", kind: "task" }), write({ id: "t2", kind: "task" })];
    must(await store.commit(commitOf("op1", two)));
    const page = must(await store.answer({ kind: "tasks", view: open.tasks, today, limit: 1 }));
    const cursor = page.nextCursor ?? "";
    expect(cursor).not.toBe("");
    const forged = Buffer.from(JSON.stringify(["tasks:open", { x: 1 }, 2])).toString("base64url");
    for (const bad of ["", "x", cursor.slice(0, -4), forged]) {
      const answer = await store.answer({ kind: "tasks", view: "open", today, cursor: bad });
      expect(answer).toEqual({ ok: false, error: { code: "invalid_input", path: "cursor", reason: "invalid_cursor" } });
    }
    expect((await store.answer({ kind: "tasks", view: "done", today, cursor })).ok).toBe(false);
  });

  test("search takes any text as plain words", async () => {
    const store = await openStore();
    const text = 'A "quoted" NEAR(word) café_2 — مرحبا \u0002forged\u0003 100%';
    must(
      await store.commit(
        commitOf("op1", [
          write({ id: "t1", kind: "task", body: { title: text } }),
          write({ id: "c1", kind: "checklist" }),
          write({ id: "i1", kind: "checklistItem", body: { title: "Oat milk" } }),
        ]),
      ),
    );
    const hits = async (query: string) =>
      must(await store.answer({ kind: "search", text: query })).hits.map((hit) => [hit.id, hit.openId, hit.openKind]);
    const self = [["t1", "t1", "task"]];
    for (const query of [
      "quoted",
      '"quoted',
      "NEAR(word",
      "near word",
      "CAFE_2",
      "مرحبا",
      "100%",
      "forg",
      "a* quoted",
    ]) {
      expect({ query, found: await hits(query) }).toEqual({ query, found: self });
    }
    const odd = [
      "",
      "   ",
      '"',
      "'",
      "*",
      "()",
      "^",
      "-",
      "{a}:b",
      "quoted AND nothing",
      "a:b",
      "\u0000",
      "💥",
      "NOT x",
    ];
    for (const query of odd) expect({ query, found: await hits(query) }).toEqual({ query, found: [] });
    expect(await hits("milk")).toEqual([["i1", "t1", "task"]]);
    const marked = must(await store.answer({ kind: "search", text: "quoted" })).hits[0]?.snippet ?? "";
    expect(marked).toContain("\u0002quoted\u0003");
    expect(marked.split("\u0002")).toHaveLength(2);
  });

  test("an import keeps provenance as it is and gives out no counter of this host", async () => {
    const store = await openStore();
    must(await store.commit(commitOf("op1", [write({ id: "t1", kind: "task" })])));
    const [own] = await all(store.exportRecords());
    if (own === undefined) throw new Error("expected a record");
    const foreign: JournalRecord = {
      ...own,
      id: id("t0"),
      hostId: "host-b" as HostId,
      counter: 41,
      revision: 6,
      vectorClock: { "host-b": 41 },
    };
    must(await store.importRecords([foreign]));
    expect(await all(store.exportRecords())).toEqual([foreign, own]);
    const next = must(await store.commit(commitOf("op2", [write({ id: "t2", kind: "task" })])));
    expect(next.units[0]?.counter).toBe(2);
    const edited = must(await store.commit(commitOf("op3", [write({ id: "t0", kind: "task", sees: 6 })])));
    expect(edited.records[0]?.vectorClock).toEqual({ "host-b": 41, [store.hostId]: 3 });
  });

  test("an import that brings back lost versions of this host moves the counter past them", async () => {
    const store = await openStore();
    const record = must(await store.commit(commitOf("op1", [write({ id: "t1", kind: "task" })]))).records[0];
    if (record === undefined) throw new Error("expected a record");
    const later = { ...record, counter: 9, vectorClock: { [store.hostId]: 9 } };
    const saved = must(await store.importRecords([later])).records[0];
    expect(saved?.revision).toBe(2);
    const next = must(await store.commit(commitOf("op2", [write({ id: "t2", kind: "task" })])));
    expect(next.units[0]?.counter).toBe(10);
  });

  test("a reference whose target is missing loads as unresolved", async () => {
    const store = await openStore();
    must(
      await store.commit(
        commitOf("op1", [
          write({ id: "t1", kind: "task", body: { sourceTaskId: id("gone") } }),
          write({ id: "l1", kind: "link", body: { toId: id("gone") } }),
          write({ id: "e1", kind: "timeEntry", body: { taskId: id("gone"), endedAt: null } }),
          write({ id: "plan-2026-11-15", kind: "dayPlan", body: { pinnedTaskIds: [id("gone"), id("t1")] } }),
        ]),
      ),
    );
    const detail = must(await store.answer({ kind: "task", id: id("t1") }));
    expect(detail?.source).toBeNull();
    expect(detail?.links.map(({ other }) => other)).toEqual([null]);
    expect(must(await store.answer({ kind: "timer" }))?.task).toBeNull();
    const day = must(await store.answer({ kind: "day", date: today }));
    expect(day.pinned.map(({ task }) => task.id)).toEqual(["t1"]);
  });
});
