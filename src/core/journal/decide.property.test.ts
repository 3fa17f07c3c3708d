import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addDays, daysOfLocalDate, isoWeekday, msOfInstant, type LocalDate } from "#base";
import { journalCommandSchema, type Repeat } from "#model";
import { createBook, type JournalBook } from "../../../test/journal-book.ts";
import { decide, readsOf } from "./decide.ts";
import { nextDue } from "./repeat.ts";

/** A command written with places instead of ids: `pick` chooses among the records that are there when it runs. */
type Step = { readonly name: keyof typeof STEPS; readonly pick: readonly number[] };

const any = (ids: readonly unknown[], pick: number | undefined): unknown => ids[(pick ?? 0) % Math.max(1, ids.length)];

function shapeOf(book: JournalBook) {
  const ids = (kind: Parameters<JournalBook["live"]>[0]) => book.live(kind).map((record) => record.id);
  return {
    task: (pick?: number) => any(ids("task"), pick) ?? "none",
    list: (pick?: number) => any(ids("checklist"), pick) ?? "none",
    item: (pick?: number) => any(ids("checklistItem"), pick) ?? "none",
    label: (pick?: number) => any(ids("label"), pick) ?? "none",
    category: (pick?: number) => any(ids("category"), pick) ?? "none",
    time: (pick?: number) => any(ids("timeEntry"), pick) ?? "none",
    operation: (pick?: number) => any([...book.operations.keys()], pick) ?? "none",
    date: (pick?: number) => `2026-11-${10 + ((pick ?? 0) % 3)}`,
  };
}
type Shape = ReturnType<typeof shapeOf>;

const WEEKLY = { every: 1, unit: "week", weekdays: [], from: "due" };
const STEPS = {
  create: (s: Shape, [a = 0, b = 0]: readonly number[]) => ({
    kind: "task.create",
    title: `t${a}`,
    labelNames: [`l${b % 3}`],
    categoryName: `c${a % 2}`,
    items: a % 2 === 0 ? ["one", "two", "three"] : [],
    ...(b % 4 === 0 ? { dueDate: s.date(b), repeat: WEEKLY } : {}),
  }),
  update: (s: Shape, [a, b = 0]: readonly number[]) => ({
    kind: "task.update",
    id: s.task(a),
    set: { title: `u${b % 2}` },
  }),
  move: (s: Shape, [a, b = 0]: readonly number[]) => ({
    kind: "task.move",
    id: s.task(a),
    after: b % 3 ? s.task(b) : null,
  }),
  conclude: (s: Shape, [a, b = 0]: readonly number[]) => ({
    kind: "task.conclude",
    id: s.task(a),
    as: b % 2 ? "DONE" : "DROPPED",
  }),
  reopen: (s: Shape, [a]: readonly number[]) => ({ kind: "task.reopen", id: s.task(a) }),
  remove: (s: Shape, [a]: readonly number[]) => ({ kind: "task.delete", id: s.task(a) }),
  followUp: (s: Shape, [a, b = 0]: readonly number[]) => ({
    kind: "task.followUp",
    sourceTaskId: s.task(a),
    newTaskTitle: "rest",
    carryOverOpenChecklistItems: b % 2 === 0,
    closeSourceTaskAs: b % 3 === 0 ? "DONE" : null,
    preserveCategoryAndLabels: b % 5 === 0,
  }),
  addList: (s: Shape, [a]: readonly number[]) => ({
    kind: "checklist.create",
    taskId: s.task(a),
    title: "",
    items: ["x"],
  }),
  dropList: (s: Shape, [a]: readonly number[]) => ({ kind: "checklist.delete", id: s.list(a) }),
  addItems: (s: Shape, [a]: readonly number[]) => ({ kind: "item.add", checklistId: s.list(a), titles: ["p", "q"] }),
  check: (s: Shape, [a, b = 0]: readonly number[]) => ({
    kind: "item.update",
    items: [{ id: s.item(a), checked: b % 2 === 0 }],
  }),
  moveItems: (s: Shape, [a, b, c, d = 0]: readonly number[]) => ({
    kind: "item.move",
    itemIds: [s.item(a), s.item(b)],
    fromChecklistId: s.list(c),
    toChecklistId: s.list(d),
    preserveCheckedState: d % 2 === 0,
  }),
  dropItem: (s: Shape, [a]: readonly number[]) => ({ kind: "item.delete", itemIds: [s.item(a)] }),
  start: (s: Shape, [a]: readonly number[]) => ({
    kind: "timer.start",
    taskId: s.task(a),
    startedAt: "2026-11-15T09:00:00Z",
    description: "",
  }),
  stop: () => ({ kind: "timer.stop", endedAt: "2026-11-15T09:30:00Z" }),
  dropTime: (s: Shape, [a]: readonly number[]) => ({ kind: "time.delete", id: s.time(a) }),
  pin: (s: Shape, [a, b]: readonly number[]) => ({ kind: "plan.pin", planDate: s.date(b), taskIds: [s.task(a)] }),
  note: (s: Shape, [a, b]: readonly number[]) => ({ kind: "plan.note", planDate: s.date(b), note: `n${a}` }),
  block: (s: Shape, [a, b]: readonly number[]) => ({
    kind: "plan.blocks",
    planDate: s.date(b),
    upserts: [
      {
        id: null,
        categoryId: null,
        taskId: s.task(a),
        startTime: "2026-11-15T09:00:00Z",
        endTime: "2026-11-15T10:00:00Z",
        note: "",
      },
    ],
    deletes: [],
  }),
  rate: (s: Shape, [a, b = 0]: readonly number[]) => ({
    kind: "rating.set",
    ...(b % 2 ? { targetType: "task", targetId: s.task(a) } : { targetType: "day", targetId: s.date(a) }),
    value: 1 + (b % 5),
    note: "",
  }),
  dropLabel: (s: Shape, [a]: readonly number[]) => ({ kind: "label.delete", id: s.label(a) }),
  rename: (s: Shape, [a, b = 0]: readonly number[]) => ({ kind: "label.update", id: s.label(a), name: `l${b % 4}` }),
  renameCategory: (s: Shape, [a, b = 0]: readonly number[]) => ({
    kind: "category.update",
    id: s.category(a),
    set: { name: `c${b % 3}` },
  }),
  undo: (s: Shape, [a]: readonly number[]) => ({ kind: "undo", operationId: s.operation(a) }),
} as const;

const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
    pick: fc.array(fc.nat(20), { minLength: 4, maxLength: 4 }),
  }),
  { minLength: 5, maxLength: 40 },
);

/** A journal with something in it, so that few steps miss. */
function startedBook(): JournalBook {
  const book = createBook();
  runSteps(book, [
    { name: "create", pick: [0, 0] },
    { name: "create", pick: [2, 1] },
    { name: "create", pick: [1, 2] },
    { name: "pin", pick: [0, 0] },
  ]);
  return book;
}

function runSteps(book: JournalBook, given: readonly Step[]): void {
  for (const { name, pick } of given) book.run(STEPS[name](shapeOf(book), pick));
}

/** Without what a new version changes by itself. */
const contents = (book: JournalBook) =>
  new Map(
    [...book.records.values()].map(({ id, kind, body, deletedAt }) => [id, { kind, body, live: deletedAt === null }]),
  );

const RUNS = { numRuns: 100 };

test("[JOURNAL-04] whatever is done, a live item is in exactly one live checklist of a live task", () => {
  fc.assert(
    fc.property(steps, (given) => {
      const book = startedBook();
      runSteps(book, given);
      const tasks = new Set(book.live("task").map(({ id }) => id));
      const lists = new Map(book.live("checklist").map((list) => [list.id, list]));
      for (const list of lists.values()) expect(tasks).toContain(list.body.taskId);
      for (const item of book.live("checklistItem")) expect([...lists.keys()]).toContain(item.body.checklistId);
    }),
    RUNS,
  );
});

test("one timer, one plan per date, one rating per target, one name per label: whatever is done", () => {
  fc.assert(
    fc.property(steps, (given) => {
      const book = startedBook();
      runSteps(book, given);
      expect(book.live("timeEntry").filter(({ body }) => body.endedAt === null).length).toBeLessThanOrEqual(1);
      const unique = (keys: readonly string[]) => expect(new Set(keys).size).toBe(keys.length);
      unique(book.live("dayPlan").map(({ body }) => body.planDate));
      unique(book.live("rating").map(({ body }) => `${body.targetType} ${body.targetId}`));
      unique(book.live("label").map(({ body }) => body.name.toLowerCase()));
      unique(book.live("category").map(({ body }) => body.name.toLowerCase()));
      const plans = new Set<string>(book.live("dayPlan").map(({ id }) => id));
      for (const block of book.live("planBlock")) expect(plans).toContain(block.body.planId);
    }),
    RUNS,
  );
});

test("undoing the last operation restores every body exactly, and redoing repeats it exactly", () => {
  fc.assert(
    fc.property(steps, steps, (given, more) => {
      const book = startedBook();
      runSteps(book, given);
      for (const { name, pick } of more) {
        const before = contents(book);
        const ran = book.run(STEPS[name](shapeOf(book), pick));
        if (!ran.ok || ran.value.writes.length === 0) continue;
        const after = contents(book);
        const undone = book.must({ kind: "undo", operationId: ran.value.operationId });
        // What the operation created is still there as a deleted record; everything else is as it was.
        const gone = [...after]
          .filter(([id]) => !before.has(id))
          .map(([id, one]) => [id, { ...one, live: false }] as const);
        expect(contents(book)).toEqual(new Map([...before, ...gone]));
        book.must({ kind: "undo", operationId: undone.operationId });
        expect(contents(book)).toEqual(after);
      }
    }),
    { numRuns: 60 },
  );
});

test("[JOURNAL-04] a follow-up neither loses nor doubles an item, and moves exactly the open ones", () => {
  fc.assert(
    fc.property(steps, fc.nat(20), (given, pick) => {
      const book = startedBook();
      runSteps(book, given);
      const source = shapeOf(book).task(pick);
      const titles = () => book.live("checklistItem").map(({ id, body }) => `${id} ${body.title} ${body.checked}`);
      const lists = new Map(book.live("checklist").map((list) => [list.id, list.body.taskId]));
      const ofSource = book.live("checklistItem").filter(({ body }) => lists.get(body.checklistId) === source);
      const before = titles();
      const ran = book.run({
        kind: "task.followUp",
        sourceTaskId: source,
        newTaskTitle: "rest",
        carryOverOpenChecklistItems: true,
        closeSourceTaskAs: null,
        preserveCategoryAndLabels: false,
      });
      if (!ran.ok) return;
      expect(titles()).toEqual(before);
      const now = new Map(book.live("checklist").map((list) => [list.id, list.body.taskId]));
      for (const item of ofSource) {
        const at = now.get(book.one("checklistItem", item.id).body.checklistId);
        expect(at).toBe(item.body.checked ? source : ran.value.subjectId);
      }
    }),
    RUNS,
  );
});

test("[JOURNAL-09] a moment with any offset keeps its instant through a command; one without is refused", () => {
  const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
  const moment = fc.date({ min: new Date("1990-01-01"), max: new Date("2026-11-15"), noInvalidDate: true });
  fc.assert(
    fc.property(moment, offset, (date, minutes) => {
      const wall = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
      const sign = minutes < 0 ? "-" : "+";
      const pad = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, "0");
      const text = `${wall}${sign}${pad(minutes / 60)}:${pad(minutes % 60)}`;
      const book = createBook();
      const entry = { kind: "entry.create", form: "text", text: "" };
      const { subjectId } = book.must({ ...entry, occurredAt: text });
      const stored = book.one("entry", subjectId).body.occurredAt;
      expect(msOfInstant(stored)).toBe(date.getTime());
      expect(JSON.parse(JSON.stringify(stored))).toBe(date.toISOString());
      expect(journalCommandSchema.safeParse({ ...entry, occurredAt: wall }).success).toBe(false);
    }),
    RUNS,
  );
});

test("the same request decided twice at one moment gives the same writes", () => {
  fc.assert(
    fc.property(steps, (given) => {
      const book = startedBook();
      for (const { name, pick } of given) {
        const command = journalCommandSchema.parse(STEPS[name](shapeOf(book), pick));
        const input = { command, operationId: "op" as never, at: "2026-11-15T10:00:00.000Z" as never };
        const facts = { records: book.records, operations: book.operations };
        expect(decide({ ...input, facts })).toEqual(decide({ ...input, facts }));
        expect(readsOf(command)).toEqual(readsOf(command));
        book.run(command);
      }
    }),
    { numRuns: 40 },
  );
});

test("the next date of a rhythm is never in the past and always moves on", () => {
  const rule = fc.record({
    every: fc.integer({ min: 1, max: 999 }),
    unit: fc.constantFrom("day", "week", "month", "year"),
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 7 }),
    from: fc.constantFrom("due", "done"),
  });
  const day = fc.integer({ min: -20_000, max: 40_000 }).map((days) => addDays("1970-01-01" as LocalDate, days));
  fc.assert(
    fc.property(rule, day, day, (repeat, dueDate, today) => {
      const next = nextDue({ repeat: repeat as Repeat, dueDate, today });
      if (next === null) return;
      const base = repeat.from === "due" ? dueDate : today;
      expect(daysOfLocalDate(next.dueDate)).toBeGreaterThan(daysOfLocalDate(base));
      expect(daysOfLocalDate(next.dueDate)).toBeGreaterThanOrEqual(daysOfLocalDate(today));
      const isChosen =
        repeat.unit !== "week" ||
        repeat.weekdays.length === 0 ||
        new Set(repeat.weekdays).has(isoWeekday(next.dueDate));
      expect(isChosen).toBe(true);
    }),
    { numRuns: 500 },
  );
});
