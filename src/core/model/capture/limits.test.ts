import { describe, expect, test } from "vitest";
import { LIMITS, type LocalDate, type LocalTime } from "#base";
import { captureToCommand, parseCapture } from "../capture.ts";
import { comingDate, monthOf } from "./calendar.ts";
import { splitWords } from "./words.ts";

const parse = (text: string) =>
  parseCapture(text, { today: "2026-11-15" as LocalDate, now: "10:00" as LocalTime, ignored: [] });
const chipsOf = (text: string) => parse(text).chips.map(({ kind, label }) => `${kind} ${label}`);
const commandOf = (text: string) => {
  const command = captureToCommand(parse(text));
  return command.ok ? command.value : command.error.reason;
};

describe("what is typed, at the edge of what is read", () => {
  test("a title that fits stays whole, and a longer one stands whole in the notes", () => {
    const words = `${"x".repeat(400)} ${"y".repeat(LIMITS.titleChars - 401)}`;
    expect(commandOf(words)).toEqual({ kind: "task.create", title: words });
    const fits = "x".repeat(LIMITS.titleChars);
    expect(commandOf(fits)).toEqual({ kind: "task.create", title: fits });
    expect(commandOf(`${fits}y`)).toEqual({ kind: "task.create", title: fits, notes: `${fits}y` });
  });

  test("a title is cut at a space in its last third", () => {
    const cutAt = (space: number) => {
      const title = `${"x".repeat(space)} ${"y".repeat(LIMITS.titleChars)}`;
      const command = commandOf(title);
      return typeof command === "string" ? command : command.title.length;
    };
    expect([cutAt(335), cutAt(336)]).toEqual([LIMITS.titleChars, 336]);
  });

  test("notes are as long as the limit at most", () => {
    const notes = (chars: number) => commandOf(`t\n${"x".repeat(chars)}`);
    expect(notes(LIMITS.textChars)).toMatchObject({ kind: "task.create" });
    expect(notes(LIMITS.textChars + 1)).toBe("too_long");
  });

  test("a point that fits is an item, and a longer one stays in the notes", () => {
    const point = (chars: number) => parse(`t\n- ${"x".repeat(chars - 2)}`);
    expect(point(LIMITS.titleChars)).toMatchObject({ items: ["x".repeat(LIMITS.titleChars - 2)], notes: "" });
    expect(point(LIMITS.titleChars + 1).items).toEqual([]);
  });

  test("a label has a name of its length at most, and a word is looked at up to its own", () => {
    const label = (chars: number) => chipsOf(`t #${"x".repeat(chars)}`).length;
    expect([label(LIMITS.nameChars), label(LIMITS.nameChars + 1)]).toEqual([1, 0]);
    const plain = (chars: number) => splitWords("x".repeat(chars))[0]?.plain;
    expect([plain(120), plain(121)]).toEqual(["x".repeat(120), ""]);
  });

  test("months are known from the first to the last", () => {
    expect(["jan", "january", "sept", "dec", "december", "day"].map(monthOf)).toEqual([1, 1, 9, 12, 12, null]);
  });

  test("29 February may be eight years away", () => {
    expect(comingDate("2096-03-01" as LocalDate, { month: 2, day: 29 })).toBe("2104-02-29");
    expect(comingDate("2096-02-29" as LocalDate, { month: 2, day: 29 })).toBe("2096-02-29");
    expect(comingDate("2096-03-01" as LocalDate, { month: 2, day: 30 })).toBeNull();
  });

  test("a word that joins weekdays begins none", () => {
    expect(chipsOf("t every mon and wed")).toEqual(["repeat Every Mon, Wed"]);
    expect(chipsOf("t every and mon").filter((chip) => chip.startsWith("repeat"))).toEqual([]);
  });

  test.each([
    ["t 0am", []],
    ["t 1am", ["time 01:00"]],
    ["t 12pm", ["time 12:00"]],
    ["t 13pm", []],
  ])("the hours of %j", (text, chips) => expect(chipsOf(text)).toEqual(chips));

  test("an estimate is from one minute to the limit", () => {
    const minutes = (text: string) => parse(`t est ${text}`).chips.find(({ kind }) => kind === "estimate")?.value;
    expect([minutes("0m"), minutes("1m")]).toEqual([undefined, 1]);
    expect(minutes(`${LIMITS.estimateMinutes}m`)).toBe(LIMITS.estimateMinutes);
    expect(minutes(`${LIMITS.estimateMinutes + 1}m`)).not.toBe(LIMITS.estimateMinutes + 1);
  });
});
