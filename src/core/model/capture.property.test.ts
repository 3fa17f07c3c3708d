import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { LocalDate, LocalTime } from "#base";
import { captureToCommand, parseCapture } from "./capture.ts";
import { journalCommandSchema } from "./journal-commands.ts";

const context = { today: "2026-11-15" as LocalDate, now: "10:00" as LocalTime };
const word = fc.oneof(
  fc.constantFrom(
    ...'tomorrow today fri next in 2 weeks at 9 9:30 #a #b @c !1 est 30m ~5m every day mon and nov 20 20.11. " “ ”'.split(
      " ",
    ),
  ),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);
const text = fc.oneof(
  fc.array(word, { maxLength: 15 }).map((words) => words.join(" ")),
  fc.string({ unit: "binary" }),
  fc.lorem({ maxCount: 3 }),
);

test("reading never throws, is deterministic, and covers every character once: in the title or in a chip", () => {
  fc.assert(
    fc.property(text, (input) => {
      const captured = parseCapture(input, context);
      expect(parseCapture(input, context)).toEqual(captured);
      const line = input.trimStart().split("\n")[0] ?? "";
      const start = input.length - input.trimStart().length;
      let last = start;
      let rest = "";
      for (const chip of captured.chips) {
        expect(chip.start).toBeGreaterThanOrEqual(last);
        expect(chip.end).toBeGreaterThan(chip.start);
        rest += input.slice(last, chip.start);
        last = chip.end;
      }
      rest += input.slice(last, start + line.length);
      const bare = (value: string) => value.replaceAll(/\s/g, "");
      expect(bare(captured.title)).toBe(bare(rest));
    }),
    { numRuns: 500 },
  );
});

test("with every chip taken away the title is the line itself", () => {
  fc.assert(
    fc.property(text, (input) => {
      const ignored: string[] = [];
      for (let round = 0; round < 200; round += 1) {
        const { chips } = parseCapture(input, { ...context, ignored });
        if (chips.length === 0) break;
        ignored.push(...chips.map((chip) => chip.key));
      }
      const { title, chips } = parseCapture(input, { ...context, ignored });
      const line = input.trimStart().split("\n")[0] ?? "";
      expect([chips, title.replaceAll(/\s/g, "")]).toEqual([[], line.replaceAll(/\s/g, "")]);
    }),
  );
});

test("what it makes is a command the journal reads, or a reason", () => {
  fc.assert(
    fc.property(text, (input) => {
      const command = captureToCommand(parseCapture(input, context));
      const parsed = command.ok ? journalCommandSchema.safeParse(command.value).success : command.error.code;
      expect([true, "invalid_input"]).toContain(parsed);
    }),
    { numRuns: 500 },
  );
});

test("a hundred thousand characters of the worst kind are read in one pass", () => {
  for (const piece of ["“ ", "tomorrow 9 ", '"a ', "every mon and ", "#a ", "#", "in 2 ", "- ", "\n- a"]) {
    const captured = parseCapture(piece.repeat(100_000 / piece.length), context);
    expect(captured.chips.length).toBeLessThanOrEqual(60);
  }
});
