import * as fc from "fast-check";
import { expect, test } from "vitest";
import { depth } from "../../../../test/depth.ts";
import {
  TASK_STATUSES,
  type HostId,
  type JournalQuery,
  type JournalRecord,
  type RecordId,
  type RecordKind,
} from "#model";
import type { JournalStore } from "#ports";
import { at, commitOf, fixedClock, must, write } from "../../../../test/contracts/journal-fixture.ts";
import { openJournalInMemory } from "../open-in-memory.ts";
import { createJournalOracle } from "./oracle.fixture.ts";

// Words whose stem is the word itself, so that the oracle and the index mean the same by a match.
const WORDS = ["ana", "bob", "milk", "zürich", "x_1", "a-b", "42", "日本", "本日bob", "🎉", "👍🏽ana", "กิน"];
const TODAY = "2026-11-15" as never;

const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const text = fc.array(pick(...WORDS), { maxLength: 3 }).map((words) => words.join(" "));
const title = fc.array(pick(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
// Few values, so that ties and edges are met often.
const minute = fc.integer({ min: 0, max: 16 }).map((step) => step * 250);
const instant = minute.map(at);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const order = pick("a", "b", "ba", "c", "Z", "0");
const date = pick("2026-11-14", "2026-11-15", "2026-11-16");
const ref = (prefix: string) => fc.integer({ min: 1, max: 4 }).map((index) => `${prefix}${index}`);

const BODY: { readonly [K in RecordKind]: fc.Arbitrary<object> } = {
  category: fc.record({ name: title, order, archivedAt: maybe(instant) }),
  label: fc.record({ name: title }),
  task: fc.record({
    title,
    notes: text,
    status: pick(...TASK_STATUSES, "OPEN", "OPEN"),
    categoryId: maybe(ref("category")),
    priority: maybe(fc.integer({ min: 1, max: 4 })),
    dueDate: maybe(date),
    labelIds: fc.array(ref("label"), { maxLength: 2 }),
    sourceTaskId: maybe(ref("task")),
    order,
    concludedAt: maybe(instant),
    archivedAt: fc.option(instant, { nil: null, freq: 4 }),
  }),
  checklist: fc.record({ taskId: ref("task"), title: text, order }),
  checklistItem: fc.record({ checklistId: ref("checklist"), title, checked: fc.boolean(), order }),
  timeEntry: fc.record({ taskId: maybe(ref("task")), startedAt: instant, endedAt: maybe(instant), description: text }),
  entry: fc.record({ occurredAt: instant, text, taskId: maybe(ref("task")) }),
  dayPlan: fc.record({ pinnedTaskIds: fc.array(ref("task"), { maxLength: 3 }), note: text }),
  planBlock: fc.record({ planId: pick("plan-2026-11-15", "plan-2026-11-14"), startTime: instant, note: text }),
  rating: fc.record({
    targetType: pick("day", "task", "timeEntry"),
    targetId: pick("task1", "2026-11-15"),
    note: text,
  }),
  link: fc.record({ fromId: ref("task"), toId: ref("task") }),
};

const KINDS = Object.keys(BODY) as readonly RecordKind[];
const MORE_OFTEN = Array.from({ length: 10 }, (_, index): RecordKind => (index < 3 ? "timeEntry" : "task"));
const idsOf = (kind: RecordKind): fc.Arbitrary<string> =>
  kind === "dayPlan"
    ? pick("plan-2026-11-15", "plan-2026-11-14")
    : kind === "rating"
      ? pick("rating-day-2026-11-15", "rating-task-task1")
      : kind === "task"
        ? fc.integer({ min: 1, max: 12 }).map((index) => `task${index}`)
        : ref(kind);

const step = pick(...KINDS, ...MORE_OFTEN).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    id: idsOf(kind),
    body: BODY[kind],
    deleted: fc.integer({ min: 0, max: 4 }).map((roll) => roll === 0),
    minute,
    /** Now and then the writer saw an old revision, repeats an operation, or brings a version from elsewhere. */
    manner: fc.oneof({ weight: 8, arbitrary: fc.constant("plain") }, pick("stale", "repeat", "import")),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const QUERIES: readonly JournalQuery[] = [
  ...(["open", "today", "upcoming", "inbox", "done", "archived"] as const).flatMap((view): JournalQuery[] => [
    { kind: "tasks", view, today: TODAY, limit: 2 },
    { kind: "tasks", view, today: TODAY, categoryId: "category1" as RecordId },
    { kind: "tasks", view, today: TODAY, labelId: "label2" as RecordId, limit: 1 },
  ]),
  ...["task1", "task2", "task3"].map((id): JournalQuery => ({ kind: "task", id: id as RecordId })),
  { kind: "categories" },
  { kind: "labels" },
  { kind: "timer" },
  { kind: "timeline", from: at(100), to: at(3000), limit: 3 },
  { kind: "time", from: at(500), to: at(2500) },
  { kind: "time", from: at(0), to: at(4000), taskId: "task1" as RecordId },
  { kind: "day", date: TODAY },
  { kind: "ratings", targetType: "day", from: "2026-11-01" as never, to: TODAY },
  { kind: "ratings", targetType: "task", from: "2026-11-01" as never, to: "2026-11-30" as never },
  { kind: "operations" },
  { kind: "changes", after: 3 },
  { kind: "counts", today: TODAY },
];

test("[JOURNAL-10] random commits leave the SQL store and the oracle with equal answers", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 80, size: "max" }), async (steps) => {
      const real = openJournalInMemory({ hostId: "host-a" as HostId, clock: fixedClock });
      try {
        const oracle = createJournalOracle(real.hostId);
        for (const [index, one] of steps.entries()) {
          const [actual, expected] = await applyToBoth({ real, oracle, one, index });
          expect(actual).toEqual(expected);
        }
        for (const query of QUERIES) expect(await pagesOf(real, query)).toEqual(await pagesOf(oracle, query));
        for (const words of [
          "ana",
          "milk ana",
          "zur",
          "x_",
          "a-b 4",
          "日",
          "日本",
          "本日b",
          "🎉 日",
          "👍",
          "🏽ana",
          "ana🎉",
          "กิ",
        ]) {
          expect(await foundIds(real, words)).toEqual(await foundIds(oracle, words));
        }
        expect(await all(real)).toEqual(await all(oracle));
      } finally {
        await real.close();
      }
    }),
    { numRuns: depth({ sample: 15, every: 60 }) },
  );
});

type Both = { readonly real: JournalStore; readonly oracle: JournalStore; readonly one: Step; readonly index: number };

async function applyToBoth({ real, oracle, one, index }: Both): Promise<readonly [unknown, unknown]> {
  const { records } = must(await oracle.read([{ kind: "ids", ids: [one.id as RecordId] }]));
  const current = records.get(one.id as RecordId);
  const sees = one.manner === "stale" ? 99 : (current?.revision ?? null);
  const given = write({ id: one.id, kind: one.kind, body: one.body, sees, deleted: one.deleted });
  if (one.manner === "import" && current !== undefined) {
    const clock = { ...current.vectorClock, other: index + 1 };
    const version = { ...current, hostId: "other" as HostId, counter: index + 1, vectorClock: clock };
    return [await real.importRecords([version]), await oracle.importRecords([version])];
  }
  const name = one.manner === "repeat" && index > 0 ? `op${index - 1}` : `op${index}`;
  const commit = commitOf(name, [given], { at: at(one.minute) });
  return [await real.commit(commit), await oracle.commit(commit)];
}

/** Every page of a list, following the cursors; other answers as they are. */
async function pagesOf(store: JournalStore, query: JournalQuery): Promise<readonly unknown[]> {
  if (query.kind !== "tasks" && query.kind !== "timeline") return [must(await store.answer(query))];
  const pages: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = must(await store.answer({ ...query, cursor }));
    pages.push(page.rows);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

async function foundIds(store: JournalStore, words: string): Promise<readonly string[]> {
  const { hits } = must(await store.answer({ kind: "search", text: words, limit: 200 }));
  return hits.map((hit) => `${hit.kind} ${hit.id} opens ${hit.openKind} ${hit.openId}: ${hit.title}`).toSorted();
}

async function all(store: JournalStore): Promise<readonly JournalRecord[]> {
  const found: JournalRecord[] = [];
  for await (const record of store.exportRecords()) found.push(record);
  return found;
}
