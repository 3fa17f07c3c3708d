import { beforeEach, describe, expect, test } from "vitest";
import { assert, err, instantFromMs, LIMITS, ok, type Instant } from "#base";
import { changeUnitKey, changeUnitOf, checkBatch, coalesce } from "#journal";
import { journalRequestSchema, type JournalRequest, type NotificationBatch } from "#model";
import type { JournalStore, Log, Timers } from "#ports";
import { journalInMemory } from "../../../test/stores-in-memory.ts";
import { createChangeFeed } from "./change-feed.ts";
import { createJournalDoor } from "./journal-door.ts";

const TERMINAL = { kind: "terminal" } as const;
const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} };
/** Windows end at once: this is about order, and timing is tested with the feed. */
const atOnce: Timers = {
  after(_delayMs, work) {
    work();
    return () => {};
  },
};

let seed = 0;
function setUp(change: (store: JournalStore) => Partial<JournalStore> = () => ({}), hostId = "host-a") {
  const real = journalInMemory(hostId);
  const store: JournalStore = { ...real, ...change(real) };
  const feed = createChangeFeed({ timers: atOnce, log: quiet, coalesce });
  const heard: NotificationBatch[] = [];
  let losses = 0;
  feed.subscribe(
    (batch) => void heard.push(batch),
    () => void (losses += 1),
  );
  let nowMs = 1_800_000_000_000;
  const clock = {
    now: (): Instant => {
      const now = instantFromMs((nowMs += 1));
      assert(now.ok, "a test clock shows a real moment");
      return now.value;
    },
  };
  const randomness = {
    bytes: (count: number) => Uint8Array.from({ length: count }, () => (seed = (seed * 73 + 41) % 256)),
  };
  return { store: real, heard, losses: () => losses, door: createJournalDoor({ store, feed, clock, randomness }) };
}

function request(operationId: string, command: unknown, mode: "apply" | "preview" = "apply"): JournalRequest {
  const parsed = journalRequestSchema.safeParse({ operationId, command, mode });
  assert(parsed.success, "a valid request");
  return parsed.data;
}
const createTask = (operationId: string, title = "Row") => request(operationId, { kind: "task.create", title });
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe("the journal's door", () => {
  beforeEach(() => void (seed = 7));

  test("[BATCHID-05] each record version leaves as one batch whose unit is its author and the counter of its own commit", async () => {
    const { door, heard } = setUp();
    const items = ["warm up", "row"];
    const outcome = await door.submit(request("op-1", { kind: "task.create", title: "Row", items }));
    assert(outcome.ok, "the task is created");
    await settled();
    expect(outcome.value.records.length).toBe(4);
    expect(heard).toHaveLength(outcome.value.records.length);
    const ownKeys = outcome.value.records.map((record) => changeUnitKey(changeUnitOf(record)));
    expect(heard.flatMap((batch) => batch.changeUnitKeys)).toEqual(ownKeys);
    for (const batch of heard) {
      expect(batch.changeUnitKeys).toHaveLength(1);
      expect(checkBatch(batch)).toEqual(ok(batch));
    }
    expect(new Set(heard.map((batch) => batch.localBatchId)).size).toBe(heard.length);
    expect(new Set(heard.map((batch) => batch.logicalChangeKey)).size).toBe(heard.length);
  });

  test("[BATCHID-04] what arrives through another device keeps its author's unit, and the relay is never named", async () => {
    const [author, relay, receiver] = ["host-a", "host-b", "host-c"].map((host) => setUp(undefined, host));
    assert(author !== undefined && relay !== undefined && receiver !== undefined, "three devices");
    await author.door.submit(request("op-1", { kind: "task.create", title: "Row", items: ["warm up"] }));
    expect(await relay.door.importLines(author.door.exportLines(TERMINAL), TERMINAL)).toMatchObject({ ok: true });
    expect(await receiver.door.importLines(relay.door.exportLines(TERMINAL), TERMINAL)).toMatchObject({ ok: true });
    await settled();
    const keysOf = (batches: readonly NotificationBatch[]) => batches.map((batch) => batch.logicalChangeKey).toSorted();
    expect(author.heard.length).toBe(3);
    expect(keysOf(relay.heard)).toEqual(keysOf(author.heard));
    expect(keysOf(receiver.heard)).toEqual(keysOf(author.heard));
    for await (const record of receiver.store.exportRecords()) expect(record.hostId).toBe("host-a");
  });

  test("[TOKEN-09] what is refused, previewed, replayed or not committed is never published", async () => {
    const fault = { code: "disk_full", retryable: false } as const;
    let isFull = false;
    const { door, heard } = setUp((store) => ({ commit: async (each) => (isFull ? err(fault) : store.commit(each)) }));
    expect(await door.submit(request("op-no", { kind: "task.delete", id: "nobody" }))).toMatchObject({ ok: false });
    expect(await door.submit({ ...createTask("op-look"), mode: "preview" })).toMatchObject({ ok: true });
    isFull = true;
    expect(await door.submit(createTask("op-full"))).toEqual(err(fault));
    await settled();
    expect(heard).toEqual([]);
    isFull = false;
    await door.submit(createTask("op-yes"));
    await door.submit(createTask("op-yes"));
    await settled();
    expect(heard).toHaveLength(1);
  });

  test("[TOKEN-09] nothing is heard of a change before its commit has returned", async () => {
    const order: string[] = [];
    const { door, heard } = setUp((store) => ({
      commit: async (each) => {
        const committed = await store.commit(each);
        await settled();
        order.push(`committed, heard ${heard.length}`);
        return committed;
      },
    }));
    await door.submit(createTask("op-1"));
    await settled();
    expect(order).toEqual(["committed, heard 0"]);
    expect(heard).toHaveLength(1);
  });

  test("a write that came between read and commit is decided anew, and a storm of them is given up", async () => {
    let stale = 2;
    let commits = 0;
    const { door } = setUp((store) => ({
      commit: async (each) => {
        commits += 1;
        const id = each.writes[0]?.id;
        assert(id !== undefined, "a write to be refused");
        return stale-- > 0 ? err({ code: "stale_revision", id }) : store.commit(each);
      },
    }));
    const outcome = await door.submit(createTask("op-1"));
    expect(outcome).toMatchObject({ ok: true, value: { replayed: false } });
    expect(commits).toBe(3);
    stale = Number.POSITIVE_INFINITY;
    commits = 0;
    expect(await door.submit(createTask("op-2"))).toEqual(err({ code: "store_busy", retryable: true }));
    expect(commits).toBe(LIMITS.commitTriesMax);
  });

  test("deciding again names the same records", async () => {
    const ids: string[] = [];
    const { door } = setUp((store) => ({
      commit: async (each) => {
        const id = each.writes[0]?.id;
        assert(id !== undefined, "a write");
        ids.push(id);
        return ids.length === 1 ? err({ code: "stale_revision", id }) : store.commit(each);
      },
    }));
    await door.submit(createTask("op-1"));
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });

  test("a preview of a change shows the next revision and leaves the present one", async () => {
    const { door } = setUp();
    const made = await door.submit(createTask("op-1"));
    assert(made.ok && made.value.subjectId !== null, "the task is created");
    const id = made.value.subjectId;
    const preview = await door.submit(request("op-2", { kind: "task.update", id, set: { title: "Swim" } }, "preview"));
    expect(preview).toMatchObject({ ok: true, value: { records: [{ id, revision: 2, body: { title: "Swim" } }] } });
    const after = await door.ask({ kind: "task", id });
    expect(after).toMatchObject({ ok: true, value: { task: { revision: 1, body: { title: "Row" } } } });
  });

  test("an import is told change by change, or when it is too much, as a whole", async () => {
    for (const [count, told, lost] of [
      [LIMITS.feedBatchesWaiting, LIMITS.feedBatchesWaiting, 0],
      [LIMITS.feedBatchesWaiting + 1, 0, 1],
    ] as const) {
      const source = setUp(undefined, "host-b");
      for (let index = 0; index < count; index += 1) await source.door.submit(createTask(`op-${index}`));
      const { door, heard, losses } = setUp();
      const imported = await door.importLines(source.door.exportLines(TERMINAL), TERMINAL);
      await settled();
      expect([imported, heard.length, losses()]).toMatchObject([{ value: { added: count } }, told, lost]);
    }
  });

  test("the same record twice in a row is not in order, and nothing of it counts", async () => {
    const source = setUp(undefined, "host-b");
    await source.door.submit(createTask("op-1"));
    const lines = await Array.fromAsync(source.door.exportLines(TERMINAL));
    const twice = (async function* () {
      yield* lines.slice(0, 2);
      yield* lines.slice(1);
    })();
    const refused = { code: "invalid_line", line: 3, reason: "not_in_order" };
    expect(await setUp().door.importLines(twice, TERMINAL)).toMatchObject({ error: refused });
  });

  test("commands wait while an import is decided and written", async () => {
    const source = setUp(() => ({}), "host-b");
    await source.door.submit(createTask("op-1"));
    const lines: string[] = [];
    for await (const line of source.door.exportLines(TERMINAL)) lines.push(line);
    const order: string[] = [];
    const { door } = setUp((store) => ({
      commit: async (each) => {
        order.push("commit");
        return store.commit(each);
      },
      importRecords: async (records) => {
        await settled();
        order.push("import");
        return store.importRecords(records);
      },
    }));
    const importing = door.importLines(
      (async function* () {
        yield* lines;
      })(),
      TERMINAL,
    );
    await settled();
    const [report] = await Promise.all([importing, door.submit(createTask("op-2"))]);
    expect(report).toMatchObject({ ok: true, value: { added: 1 } });
    expect(order).toEqual(["import", "commit"]);
  });
});
