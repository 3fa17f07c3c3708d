import { expect, test } from "vitest";
import { journalCommandSchema } from "./journal-commands.ts";
import { nameOfCommand, wordPartsFor, wordsFor } from "./words.ts";

test("a refusal says what failed, what became of the data, and what to do", () => {
  expect(wordsFor({ code: "timer_running" })).toBe(
    "A timer is already running. Nothing was changed. Stop it first, then start the other.",
  );
  const taken = { code: "name_taken", what: "label", name: "x\u202ey" };
  expect(wordPartsFor(taken).what).toBe("There is already a label named “x\uFFFDy”.");
  const line = { code: "invalid_line", line: 3, reason: "duplicate_key at column 9" };
  expect(wordsFor(line)).toContain(
    "Line 3 of the file cannot be imported (duplicate_key at column 9). Nothing of the file",
  );
});

test("a code without words is named, and nothing is promised about it", () => {
  for (const code of ["brand_new_code", "constructor", "__proto__", ""]) {
    expect(wordPartsFor({ code })).toEqual({
      what: `Silas refused this with the code ${code}.`,
      kept: "What happened to your data is not known here.",
      next: "Reload to see what is stored; `silas logs` has the details.",
    });
  }
});

test("every command has a short name in the past tense, also when only its kind is known", () => {
  const kinds = journalCommandSchema.def.options.map((option) => option.shape.kind.def.values[0]);
  expect(kinds.length).toBeGreaterThan(40);
  const names = kinds.map((kind) => nameOfCommand({ kind: String(kind) }));
  expect(names).not.toContain("Changed the journal");
  expect(new Set(names).size).toBe(names.length);
  expect(nameOfCommand({ kind: "task.conclude", as: "DROPPED" })).toBe("Dropped task");
  expect(nameOfCommand({ kind: "toString" })).toBe("Changed the journal");
});
