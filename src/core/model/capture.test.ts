import { describe, expect, test } from "vitest";
import type { LocalDate, LocalTime } from "#base";
import { captureToCommand, parseCapture, type CaptureContext } from "./capture.ts";
import { journalCommandSchema } from "./journal-commands.ts";

/** A Sunday morning. */
const context: CaptureContext = { today: "2026-11-15" as LocalDate, now: "10:00" as LocalTime };
const parse = (text: string, ignored: readonly string[] = []) => parseCapture(text, { ...context, ignored });
const chipsOf = (text: string) => parse(text).chips.map(({ kind, label }) => `${kind} ${label}`);
const due = (text: string) => {
  const { title, dueDate, dueTime } = parse(text);
  return [title, dueDate, dueTime];
};

test("the example line becomes a title and five chips", () => {
  const text = "call Ana tomorrow 9 #home !2 est 30m";
  const captured = parse(text);
  expect(captured.title).toBe("call Ana");
  expect(captured.chips.map((chip) => [chip.kind, chip.label, text.slice(chip.start, chip.end)])).toEqual([
    ["date", "Tomorrow", "tomorrow"],
    ["time", "09:00", "9"],
    ["label", "#home", "#home"],
    ["priority", "Priority 2", "!2"],
    ["estimate", "30 min", "est 30m"],
  ]);
  expect(captureToCommand(captured)).toEqual({
    ok: true,
    value: {
      kind: "task.create",
      title: "call Ana",
      dueDate: "2026-11-16",
      dueTime: "09:00",
      priority: 2,
      estimateMinutes: 30,
      labelNames: ["home"],
    },
  });
});

describe("dates", () => {
  test.each([
    ["x today", "2026-11-15"],
    ["x tonight", "2026-11-15"],
    ["x tmr", "2026-11-16"],
    ["x Monday", "2026-11-16"],
    ["x sunday", "2026-11-22"],
    ["x this sunday", "2026-11-15"],
    ["x next sunday", "2026-11-22"],
    ["x next wed", "2026-11-18"],
    ["x on sat", "2026-11-21"],
    ["x by friday,", "2026-11-20"],
    ["x next week", "2026-11-16"],
    ["x next month", "2026-12-01"],
    ["x in 3 days", "2026-11-18"],
    ["x in a week", "2026-11-22"],
    ["x in 2 weeks", "2026-11-29"],
    ["x in 3 months", "2027-02-15"],
    ["x in 1 year", "2027-11-15"],
    ["x 2026-12-24", "2026-12-24"],
    ["x 20 nov", "2026-11-20"],
    ["x Nov 20", "2026-11-20"],
    ["x 20th november 2027", "2027-11-20"],
    ["x nov 10", "2027-11-10"],
    ["x nov 15", "2026-11-15"],
    ["x 29 feb", "2028-02-29"],
    ["x 20.11.", "2026-11-20"],
    ["x 1.2.2027", "2027-02-01"],
  ])("%s", (text, date) => {
    expect(due(text)).toEqual(["x", date, null]);
  });

  test.each(["x 31 nov", "x 2026-02-30", "x 32.1.", "x sat down", "x sun cream", "x in flight", "x may", "x 20/11"])(
    "%s holds no date",
    (text) => {
      expect(due(text)).toEqual([text, null, null]);
    },
  );

  test("the last date counts, and the others stay in the title", () => {
    expect(due("send Monday report tomorrow")).toEqual(["send Monday report", "2026-11-16", null]);
    expect(due("friday 9 plan tomorrow")).toEqual(["friday 9 plan", "2026-11-16", null]);
  });
});

describe("times", () => {
  test.each([
    ["x tomorrow 9", "2026-11-16", "09:00"],
    ["x tomorrow 9:30", "2026-11-16", "09:30"],
    ["x tomorrow at 14", "2026-11-16", "14:00"],
    ["x at 9", "2026-11-16", "09:00"],
    ["x at 10", "2026-11-16", "10:00"],
    ["x at 11", "2026-11-15", "11:00"],
    ["x 14:00", "2026-11-15", "14:00"],
    ["x 9am", "2026-11-16", "09:00"],
    ["x 12am friday", "2026-11-20", "00:00"],
    ["x 12:15pm friday", "2026-11-20", "12:15"],
    ["x today noon", "2026-11-15", "12:00"],
  ])("%s", (text, date, time) => {
    expect(due(text)).toEqual(["x", date, time]);
  });

  test.each(["buy 9 apples", "room 12", "x 25:00", "x 13pm", "x at 24", "score 2:1"])("%s holds no time", (text) => {
    expect(due(text)).toEqual([text, null, null]);
  });
});

describe("marks", () => {
  test("labels, category, priority and estimates in all their spellings", () => {
    expect(chipsOf("x #home #work/q4, @Health !high")).toEqual([
      "label #home",
      "label #work/q4",
      "category @Health",
      "priority Priority 2",
    ]);
    const spellings = ["est 30m", "30m", "~45m", "1h30", "1h", "1.5h", "90min", "est 2 hours", "est 20"];
    expect(spellings.map((text) => parse(`x ${text}`).chips[0]?.value)).toEqual([30, 30, 45, 90, 60, 90, 90, 120, 20]);
  });

  test("what only looks like a mark stays in the title", () => {
    for (const text of [
      "fix #42",
      "mail a@b.org",
      "wow !",
      "x !5",
      "# x",
      "@",
      "x 0m",
      "est soon",
      "x #",
      "every now",
    ]) {
      expect(parse(text)).toMatchObject({ title: text, chips: [] });
    }
    expect(parse(`x #${"a".repeat(81)}`).chips).toEqual([]);
  });

  test("repetitions say their rhythm and begin on their first day", () => {
    const rule = (text: string) => [parse(text).chips[0]?.label, parse(text).dueDate];
    expect(rule("x every day")).toEqual(["Every day", "2026-11-15"]);
    expect(rule("x every weekday")).toEqual(["Every weekday", "2026-11-16"]);
    expect(rule("x every 2 weeks")).toEqual(["Every 2 weeks", "2026-11-15"]);
    expect(rule("x every other month")).toEqual(["Every 2 months", "2026-11-15"]);
    expect(rule("x every monday")).toEqual(["Every Mon", "2026-11-16"]);
    expect(rule("x every sun, wed and fri")).toEqual(["Every Wed, Fri, Sun", "2026-11-15"]);
    expect(rule("x every! 3 days")).toEqual(["Every 3 days after done", "2026-11-15"]);
    expect(due("x every day at 9")).toEqual(["x", "2026-11-16", "09:00"]);
    expect(due("x every month 30 nov")).toEqual(["x", "2026-11-30", null]);
    expect(parse("every mon and then").title).toBe("and then");
  });

  test("quoted text is never read", () => {
    expect(parse('watch "tomorrow #never !1" friday')).toMatchObject({ title: 'watch "tomorrow #never !1"' });
    expect(parse("read “in 2 days” today").title).toBe("read “in 2 days”");
    expect(parse('5" pipe tomorrow').title).toBe('5" pipe');
  });
});

test("a chip that is taken away gives its words back to the title, and stays away while typing goes on", () => {
  const text = "call Ana tomorrow 9 est 30m";
  const [date, time, estimate] = parse(text).chips;
  expect(parse(text, [date?.key ?? ""])).toMatchObject({ title: "call Ana tomorrow 9", dueDate: null });
  expect(parse(text, [time?.key ?? ""])).toMatchObject({ title: "call Ana 9", dueTime: null });
  expect(parse(text, [estimate?.key ?? ""]).title).toBe("call Ana est 30m");
  expect(parse(`please ${text} !1`, [estimate?.key ?? ""]).title).toBe("please call Ana est 30m");
  const twice = parse("#a #a x");
  expect(parse("#a #a x", [twice.chips[1]?.key ?? ""]).title).toBe("#a x");
});

test("lines below the first become items and notes", () => {
  const captured = parse("\n  party tomorrow\n- cake\n* [ ] drinks\n\nbring #a friend\n• music\n");
  expect(captured).toMatchObject({
    title: "party",
    items: ["cake", "drinks", "music"],
    notes: "bring #a friend",
    dueDate: "2026-11-16",
  });
  expect(captured.chips.map((chip) => chip.kind)).toEqual(["date"]);
});

test("emoji, right-to-left text and joiners are kept whole", () => {
  const text = "עברית #בית 👩‍👩‍👧 #👩‍👩‍👧 tomorrow";
  const captured = parse(text);
  expect(captured.title).toBe("עברית 👩‍👩‍👧");
  expect(captured.chips.map((chip) => text.slice(chip.start, chip.end))).toEqual(["#בית", "#👩‍👩‍👧", "tomorrow"]);
});

test("every command it makes is one the journal reads; nothing typed is lost", () => {
  const long = `${"word ".repeat(200)}tomorrow`;
  const command = captureToCommand(parse(long));
  expect(command.ok && command.value.title.length).toBeLessThanOrEqual(500);
  expect(command.ok && command.value.notes).toBe("word ".repeat(200).trim());
  expect(journalCommandSchema.safeParse(command.ok ? command.value : null).success).toBe(true);
  const many = captureToCommand(parse(`x\n${"- i\n".repeat(600)}`));
  expect(many.ok && [many.value.items?.length, many.value.notes?.split("\n").length]).toEqual([500, 100]);
  expect(captureToCommand(parse("tomorrow"))).toEqual({
    ok: false,
    error: { code: "invalid_input", path: "title", reason: "blank_text" },
  });
  expect(captureToCommand(parse("a\ud800"))).toMatchObject({ error: { reason: "invalid_text" } });
  expect(captureToCommand(parse(`x\n${"y".repeat(100_001)}`))).toMatchObject({ error: { path: "notes" } });
});
