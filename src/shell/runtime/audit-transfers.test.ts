import { expect, test } from "vitest";
import { err, ok } from "#base";
import type { RecordId } from "#model";
import type { JournalDoor } from "#ports";
import { readActivity } from "./audit-activity.ts";
import { withAuditedTransfers } from "./audit-transfers.ts";
import { createAuditWorld, recorded } from "./audit.fixture.ts";
import { must } from "./must.fixture.ts";

const OWNER = { kind: "owner", session_id: "session-1" } as const;
const ALL = { beforeSeq: null, from: null, to: null, limit: 100 };
const NO_TITLES = { titlesOf: async () => ok(new Map<string, string>()), gateNamesOf: async () => ok([]) };
const REPORT = { added: 1_200, replaced: 4, unchanged: 7, conflicts: ["a" as RecordId] };

function setUp(journal: Partial<JournalDoor>) {
  const world = createAuditWorld();
  const refuse = async () => err({ code: "store_failed", retryable: false } as const);
  const inner: JournalDoor = {
    submit: refuse,
    ask: refuse,
    exportLines: async function* () {
      yield* ["header", "record", "trailer"];
    },
    importLines: async () => ok(REPORT),
    ...journal,
  };
  const parts = { audit: world.audit, titles: NO_TITLES, gates: [] };
  const sentences = async () =>
    must(await readActivity(parts, ALL)).items.map(({ state, sentence }) => [state, sentence]);
  return { ...world, door: withAuditedTransfers({ ...world, journal: inner }), sentences };
}

async function* lines(): AsyncGenerator<string> {
  yield "header";
}

test("an import is recorded before it begins and when it ended, by who asked for it, and told as one thing", async () => {
  const { audit, door, sentences } = setUp({});
  expect(await door.importLines(lines(), OWNER)).toEqual(ok(REPORT));
  const [begun, ended] = await recorded(audit);
  expect([begun?.[0], ended?.[0]]).toEqual(["journal_import_started", "journal_imported"]);
  expect(ended?.[1]).toEqual({ ...begun?.[1], added: 1_200, replaced: 4, unchanged: 7, conflicts: 1 });
  expect(must(await audit.entries(ALL)).map(({ actor }) => actor)).toEqual([OWNER, OWNER]);
  expect(await sentences()).toEqual([["done", "Imported 1,204 records; left 1 conflict alone"]]);
});

test("a refused import and one whose sender went away say so", async () => {
  const refused = setUp({ importLines: async () => err({ code: "invalid_line", line: 2, reason: "x" } as const) });
  expect((await refused.door.importLines(lines(), OWNER)).ok).toBe(false);
  expect(await refused.sentences()).toEqual([
    ["failed", "Refused an import (a line of it is no record); nothing of it was written"],
  ]);
  const gone = setUp({ importLines: () => Promise.reject(new Error("gone")) });
  await expect(gone.door.importLines(lines(), OWNER)).rejects.toThrow("gone");
  expect((await recorded(gone.audit)).map(([event]) => event)).toEqual([
    "journal_import_started",
    "journal_import_failed",
  ]);
});

test("a process that ends in the middle leaves a beginning, and it is shown as unfinished", async () => {
  const { audit, door, sentences } = setUp({ importLines: () => new Promise(() => {}) });
  void door.importLines(lines(), OWNER);
  await new Promise(setImmediate);
  expect((await recorded(audit)).map(([event]) => event)).toEqual(["journal_import_started"]);
  expect(await sentences()).toEqual([["unfinished", "Began to import into the journal; no end of it is recorded"]]);
});

test("an export is recorded before its first line leaves, and its end tells how much left", async () => {
  const { audit, door, sentences } = setUp({});
  const got: string[] = [];
  for await (const line of door.exportLines(OWNER)) {
    got.push(line);
    expect((await recorded(audit)).map(([event]) => event)).toEqual(["journal_export_started"]);
  }
  expect(got).toEqual(["header", "record", "trailer"]);
  expect(await sentences()).toEqual([["done", "Exported the journal, 3 lines"]]);
  const early = door.exportLines(OWNER)[Symbol.asyncIterator]();
  await early.next();
  await early.return?.();
  expect((await recorded(audit)).at(-1)?.[0]).toBe("journal_export_failed");
});

test("what cannot be recorded does not begin", async () => {
  const world = setUp({ importLines: () => Promise.reject(new Error("it began")) });
  const fault = { code: "disk_full", retryable: true } as const;
  const audit = { ...world.audit, append: async () => err(fault) };
  const door = withAuditedTransfers({ ...world, audit, journal: world.door });
  expect(await door.importLines(lines(), OWNER)).toEqual(err(fault));
  await expect(door.exportLines(OWNER)[Symbol.asyncIterator]().next()).rejects.toThrow("does not begin");
});

test("activity is paged, and marks of the chain are no activity", async () => {
  const { audit, clock, door } = setUp({});
  for (let index = 0; index < 5; index += 1) {
    must(await audit.append({ event: "instance_stopped", data: {}, at: clock.now(), actor: { kind: "system" } }));
    must(await audit.checkpoint({ checkpointId: `checkpoint-${index}`, at: clock.now(), key: null }));
  }
  await door.importLines(lines(), OWNER);
  const parts = { audit, titles: NO_TITLES, gates: [] };
  const first = must(await readActivity(parts, { ...ALL, limit: 3 }));
  expect(first.items.map(({ event }) => event)).toEqual(["journal_imported", "instance_stopped", "instance_stopped"]);
  const rest = must(await readActivity(parts, { ...ALL, limit: 3, beforeSeq: first.next_before_seq }));
  expect(rest.items).toHaveLength(3);
  expect(rest.next_before_seq).toBeNull();
});
