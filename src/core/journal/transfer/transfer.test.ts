import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import type { HostId, JournalRecord, RecordId } from "#model";
import { createBook } from "../../../../test/journal-book.ts";
import {
  checkSeal,
  emptySeal,
  parseExportHeader,
  parseExportLine,
  renderExportHeader,
  renderExportLine,
  renderExportTrailer,
  sealLine,
} from "./export-lines.ts";
import { decideImport } from "./import.ts";
import { compareClocks } from "./vector-clock.ts";

function fullBook() {
  const book = createBook();
  const { subjectId: id } = book.must({
    kind: "task.create",
    title: "Ünïcode 👩‍👩‍👧 \u0001 שלום",
    categoryName: "Home",
    labelNames: ["a"],
    items: ["i"],
    dueDate: "2026-11-30",
    repeat: { every: 1, unit: "month", weekdays: [], from: "due", anchorDay: 31 },
  });
  book.must({ kind: "task.update", id, set: { notes: "line\nline" } });
  book.must({ kind: "timer.start", taskId: id, startedAt: "2026-11-15T09:00:00Z", description: "" });
  book.must({ kind: "plan.pin", planDate: "2026-11-15", taskIds: [id] });
  book.must({ kind: "rating.set", targetType: "task", targetId: id, value: 3, note: "" });
  book.must({ kind: "entry.create", form: "text", occurredAt: "2026-11-15T09:00:00Z", text: "n" });
  book.must({ kind: "label.delete", id: book.live("label")[0]?.id });
  return book;
}

function linesOf(records: Iterable<JournalRecord>): readonly string[] {
  const header = renderExportHeader();
  const lines = [...records].toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(renderExportLine);
  const seal = [header, ...lines].reduce(sealLine, emptySeal);
  return [header, ...lines, renderExportTrailer(seal)];
}

function readBack(lines: readonly string[]): readonly JournalRecord[] | string {
  if (!parseExportHeader(lines[0] ?? "").ok) return "header";
  let seal = sealLine(emptySeal, lines[0] ?? "");
  const records: JournalRecord[] = [];
  for (const line of lines.slice(1)) {
    const parsed = parseExportLine(line);
    if (!parsed.ok) return parsed.error.reason;
    if (parsed.value.kind === "trailer") {
      const checked = checkSeal(seal, parsed.value.seal);
      return checked.ok ? records : checked.error.reason;
    }
    seal = sealLine(seal, line);
    records.push(parsed.value.record);
  }
  return "missing trailer";
}

describe("lines", () => {
  test("export, import into an empty journal, export again: the same bytes", () => {
    const lines = linesOf(fullBook().records.values());
    const records = readBack(lines);
    expect(typeof records).toBe("object");
    const imported = (records as readonly JournalRecord[]).map((incoming) => {
      const verdict = decideImport({ existing: null, incoming, hostId: "host-z" as HostId, ownCounter: 0 });
      if (!verdict.ok || !("record" in verdict.value)) throw new Error("an empty journal takes every record");
      return verdict.value.record;
    });
    expect(linesOf(imported)).toEqual(lines);
  });

  test("no line holds the revision, a host of export or a time of export", () => {
    const lines = linesOf(fullBook().records.values());
    expect(lines.join("\n")).not.toContain("revision");
    expect(linesOf([])[0]).toBe(lines[0]);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ format: "silas-journal", version: 1 });
  });

  test("a file that was cut, repeated, reordered or edited is noticed", () => {
    const lines = linesOf(fullBook().records.values());
    const [two = "", three = ""] = lines.slice(1, 3);
    expect(readBack(lines.slice(0, -1))).toBe("missing trailer");
    expect(readBack(lines.toSpliced(1, 1))).toBe("record_count_differs");
    expect(readBack(lines.toSpliced(1, 0, two))).toBe("record_count_differs");
    expect(readBack(lines.with(1, three).with(2, two))).toBe("content_differs");
    expect(readBack(lines.map((line) => line.replace("line\\nline", "line")))).toBe("content_differs");
  });

  test("a line that is not exactly a record is refused with its reason", () => {
    const [, line = ""] = linesOf(fullBook().records.values());
    const reasons: readonly (readonly [string, string])[] = [
      ["", "unexpected_end at column 1"],
      ["[]", "not_an_object"],
      ["{}", "invalid_field"],
      [line.replace("{", '{"revision":1,'), "unexpected_revision"],
      [line.replace("{", '{"extra":1,'), "invalid_field"],
      [line.replace('"kind":', '"kind":"task","kind":'), "duplicate_key"],
      [line.replace(/"counter":\d+/, '"counter":0'), "invalid_field counter"],
      [line.replace(/"id":"[^"]+"/, '"id":"a|b"'), "invalid_field id"],
    ];
    for (const [text, reason] of reasons) {
      const parsed = parseExportLine(text);
      expect(parsed.ok ? "accepted" : parsed.error.reason).toContain(reason);
    }
    expect(parseExportHeader('{"format":"silas-journal","version":2}')).toMatchObject({
      error: { reason: "unknown_version" },
    });
    expect(parseExportHeader("{}")).toMatchObject({ error: { reason: "not_a_silas_journal" } });
    expect(parseExportLine('{"format":"silas-journal-end","records":1,"chain":"x"}')).toMatchObject({ ok: false });
  });

  test("a line is as long as the limit at most", () => {
    const reason = (chars: number) => {
      const parsed = parseExportLine("[]".padEnd(chars));
      return parsed.ok ? "accepted" : parsed.error.reason;
    };
    expect(reason(LIMITS.importLineBytes)).toBe("not_an_object");
    expect(reason(LIMITS.importLineBytes + 1)).toBe("line_too_long");
  });

  test("reading never throws, whatever the line holds", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (text) => {
        expect(parseExportHeader(text).ok).toBe(false);
        expect(parseExportLine(text).ok).toBe(false);
      }),
    );
  });
});

describe("what an imported record does", () => {
  const book = createBook();
  book.must({ kind: "task.create", title: "t" });
  const [here] = [...book.records.values()] as [JournalRecord];
  const from = (clock: object, more: object = {}) =>
    ({ ...here, hostId: "host-b", counter: 5, vectorClock: clock, ...more }) as JournalRecord;
  const verdict = (incoming: JournalRecord, existing: JournalRecord | null = here) => {
    const decided = decideImport({ existing, incoming, hostId: "host-a" as HostId, ownCounter: 1 });
    return decided.ok ? decided.value.verdict : decided.error.code;
  };

  test("newer replaces, older and equal change nothing, concurrent is a conflict and stays as it is", () => {
    expect(verdict(here, null)).toBe("add");
    expect(verdict(here)).toBe("unchanged");
    expect(verdict(from({ "host-a": 1, "host-b": 5 }))).toBe("replace");
    expect(verdict(from({ "host-b": 5 }))).toBe("conflict");
    expect(verdict(here, from({ "host-a": 1, "host-b": 5 }))).toBe("unchanged");
    const edited = { ...here, body: { ...here.body, title: "forged" } } as JournalRecord;
    expect(verdict(edited)).toBe("conflict");
  });

  test("the stored record goes on counting this device's revisions", () => {
    const incoming = from({ "host-a": 1, "host-b": 5 });
    const existing = { ...here, revision: 7 };
    const decided = decideImport({ existing, incoming, hostId: "host-a" as HostId, ownCounter: 1 });
    expect(decided).toMatchObject({ value: { verdict: "replace", record: { revision: 8, counter: 5 } } });
  });

  test("what contradicts itself or claims this host's future is refused", () => {
    expect(verdict(from({ "host-a": 2, "host-b": 5 }))).toBe("own_counter_never_issued");
    expect(verdict({ ...here, counter: 2, vectorClock: { "host-a": 2 } }, null)).toBe("own_counter_never_issued");
    expect(verdict(from({ "host-b": 6 }))).toBe("counter_not_in_clock");
    expect(verdict(from({ "host-a": 1 }))).toBe("counter_not_in_clock");
    expect(verdict(from({ "host-b": 5, "a|b": 1 }))).toBe("invalid_record");
    expect(verdict({ ...here, body: { ...here.body, title: "" } } as JournalRecord)).toBe("invalid_record");
    expect(verdict({ ...here, kind: "label", body: { name: "x" } } as JournalRecord)).toBe("kind_differs");
    const done = { ...here, body: { ...here.body, status: "DONE" } } as JournalRecord;
    expect(verdict(done)).toBe("broken_law");
    const plan = { planDate: "2026-11-15", pinnedTaskIds: [], note: "" };
    expect(verdict({ ...here, kind: "dayPlan", id: "plan-2026-11-16" as RecordId, body: plan } as never, null)).toBe(
      "broken_law",
    );
  });

  test("clocks compare as they should", () => {
    const clock = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.integer({ min: 1, max: 3 }));
    const mirror = { equal: "equal", before: "after", after: "before", concurrent: "concurrent" } as const;
    fc.assert(
      fc.property(clock, clock, (one, other) => {
        expect(compareClocks(one, other)).toBe(mirror[compareClocks(other, one)]);
        expect(compareClocks(one, one)).toBe("equal");
        expect(compareClocks({ ...one, d: 1 }, one)).toBe("after");
      }),
    );
  });
});
