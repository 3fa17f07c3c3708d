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

test("whoever has no key to sign with is told how to get one", () => {
  const missing = (ref: string) => ({ code: "secret_missing", ref });
  const parts = wordPartsFor(missing("owner-signing-key"));
  expect(parts.what).toBe("This machine has no key to sign with.");
  expect(parts.next).toContain("`silas init` makes the first one.");
  expect(parts.next).toContain("`silas keys enrol NAME`");
  expect(wordPartsFor(missing("mail-token")).what).toContain("nothing under mail-token");
});

test("a key file that holds no key is named itself, and not the vault that it opens", () => {
  const damaged = (reason: string) => {
    const fault = { code: "vault_damaged", retryable: false, reason };
    return wordPartsFor(fault).what;
  };
  expect(damaged("key_file_unreadable")).toBe("The vault's key file vault.key holds no key.");
  expect(damaged("digest_differs")).toBe("The vault's file vault.json is damaged (digest_differs).");
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
