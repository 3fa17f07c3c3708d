import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TOKEN_CLASSES, type ChangeToken, type JournalRecord } from "#model";
import { createBook } from "../../../../test/journal-book.ts";
import { hasToken } from "./batch.ts";
import { ancestorTokens, tokensOf } from "./record-tokens.ts";
import { createToken, parseToken, parseTokenFilter, parseTokenFilters, tokenKey, uniqueTokens } from "./token.ts";

const code = (result: { readonly ok: boolean }) =>
  "error" in result ? (result.error as { readonly code: string }).code : "accepted";

test("[TOKEN-01] a token has a known class and a value; a subtype has a namespace and the others have none", () => {
  const given: readonly (readonly [unknown, string])[] = [
    [{ tokenClass: "semanticKey", tokenValue: "TASK" }, "accepted"],
    [{ tokenClass: "entityId", tokenValue: "task-1" }, "accepted"],
    [{ tokenClass: "subtypeToken", tokenValue: "running", tokenNamespace: "workoutType" }, "accepted"],
    [{ tokenClass: "topic", tokenValue: "TASK" }, "unknown_token_class"],
    [{ tokenValue: "TASK" }, "unknown_token_class"],
    [{ tokenClass: "semanticKey", tokenValue: "" }, "empty_token_value"],
    [{ tokenClass: "semanticKey" }, "empty_token_value"],
    [{ tokenClass: "subtypeToken", tokenValue: "running" }, "invalid_token_namespace"],
    [{ tokenClass: "subtypeToken", tokenValue: "running", tokenNamespace: "" }, "invalid_token_namespace"],
    [{ tokenClass: "semanticKey", tokenValue: "TASK", tokenNamespace: "x" }, "invalid_token_namespace"],
    [{ tokenClass: "entityId", tokenValue: "a", tokenNamespace: "x" }, "invalid_token_namespace"],
    [{ tokenClass: "entityId", tokenValue: "a", extra: 1 }, "invalid_token_value"],
    [null, "unknown_token_class"],
    ["k:TASK", "unknown_token_class"],
  ];
  for (const [input, expected] of given) expect(code(parseToken(input))).toBe(expected);
});

const anyToken = fc.record(
  {
    tokenClass: fc.constantFrom(...TOKEN_CLASSES),
    tokenValue: fc.string({ unit: fc.constantFrom("a", "b", "|", ":", "-"), maxLength: 5 }),
    tokenNamespace: fc.string({ unit: fc.constantFrom("a", "b", "|", ":", "-"), maxLength: 3 }),
  },
  { requiredKeys: ["tokenClass", "tokenValue"] },
);

test("[TOKEN-02] the key is class, namespace or dash, and value; no two different tokens share one", () => {
  expect(tokenKey({ tokenClass: "semanticKey", tokenValue: "TASK" })).toBe("semanticKey|-|TASK");
  const workout = { tokenClass: "subtypeToken", tokenNamespace: "workoutType", tokenValue: "running" } as const;
  expect(tokenKey(workout)).toBe("subtypeToken|workoutType|running");
  for (const tokenNamespace of ["-", "a|b", "a:b"]) {
    expect(code(createToken({ ...workout, tokenNamespace }))).toBe("invalid_token_namespace");
  }
  expect(code(createToken({ tokenClass: "entityId", tokenValue: "a|b" }))).toBe("invalid_token_value");
  fc.assert(
    fc.property(anyToken, anyToken, (one, other) => {
      const [first, second] = [createToken(one), createToken(other)];
      if (!first.ok || !second.ok) return;
      const isSame = JSON.stringify(first.value) === JSON.stringify(second.value);
      expect(tokenKey(first.value) === tokenKey(second.value)).toBe(isSame);
      expect(uniqueTokens([first.value, second.value, first.value]).length).toBe(isSame ? 1 : 2);
    }),
    { numRuns: 2000 },
  );
});

test("[TOKEN-03] only the class says what a token is: an id spelled TASK is an id", () => {
  const typedTokens: readonly ChangeToken[] = [{ tokenClass: "entityId", tokenValue: "TASK" }];
  const batch = { localBatchId: "b", logicalChangeKey: "" as never, changeUnitKeys: [], typedTokens };
  expect(hasToken(batch, { tokenClass: "entityId", tokenValue: "TASK" })).toBe(true);
  expect(hasToken(batch, { tokenClass: "semanticKey", tokenValue: "TASK" })).toBe(false);
  const uuid = "01a1dea6-4100-7264-b397-6536dcd16f9a";
  expect(parseTokenFilter(`k:${uuid}`)).toEqual({ ok: true, value: { tokenClass: "semanticKey", tokenValue: uuid } });
});

test("[TOKEN-05] the three text forms mean the same as their typed tokens", () => {
  expect(parseTokenFilters(["k:TASK", "id:task-1", "sub:workoutType:trail:run"])).toEqual({
    tokens: [
      { tokenClass: "entityId", tokenValue: "task-1" },
      { tokenClass: "semanticKey", tokenValue: "TASK" },
      { tokenClass: "subtypeToken", tokenNamespace: "workoutType", tokenValue: "trail:run" },
    ],
    rejected: [],
  });
});

test("[TOKEN-06] anything else is rejected by name, never taken for another class, and the others still count", () => {
  const malformed = [
    "",
    "TASK",
    "k:",
    "id:",
    "sub:",
    "sub:x",
    "sub:x:",
    "sub::v",
    "K:TASK",
    " k:TASK",
    "sub:a|b:v",
    "id:a|b",
  ];
  const { tokens, rejected } = parseTokenFilters([...malformed, "k:TASK"]);
  expect(tokens).toEqual([{ tokenClass: "semanticKey", tokenValue: "TASK" }]);
  expect(rejected).toEqual(malformed.map((token) => ({ code: "malformed_token", token })));
  fc.assert(
    fc.property(fc.constantFrom("k:", "id:", "sub:", "sub:a:", ""), fc.string(), (prefix, body) => {
      const text = prefix + body;
      const parsed = parseTokenFilter(text);
      const named = parsed.ok ? text : parsed.error.token;
      expect(named).toBe(text);
      if (!parsed.ok) return;
      const { tokenClass, tokenNamespace, tokenValue } = parsed.value;
      const written = { semanticKey: "k:", entityId: "id:", subtypeToken: `sub:${tokenNamespace}:` }[tokenClass];
      expect(`${written}${tokenValue}`).toBe(text);
    }),
  );
});

const keysOf = (record: JournalRecord | undefined, before: JournalRecord | null = null) =>
  record === undefined ? [] : tokensOf(record, before).map(tokenKey);

test("a change is known by its kind, its ids, what it was and what it is", () => {
  const book = createBook();
  const category = book.must({ kind: "category.create", name: "c" }).subjectId;
  const { subjectId: id } = book.must({ kind: "task.create", title: "t", items: ["i"] });
  const before = book.one("task", id);
  book.must({ kind: "task.update", id, set: { categoryId: category } });
  book.must({ kind: "task.conclude", id, as: "DONE" });
  expect(keysOf(book.one("task", id), before)).toEqual([
    `entityId|-|${id}`,
    "semanticKey|-|TASK",
    `subtypeToken|category|${category}`,
    "subtypeToken|change|updated",
    "subtypeToken|taskStatus|DONE",
    "subtypeToken|taskStatus|OPEN",
  ]);
  const [item] = book.live("checklistItem");
  const above = item === undefined ? [] : ancestorTokens(item, book.records).map(tokenKey);
  expect(above).toEqual([`entityId|-|${item?.body.checklistId}`, `entityId|-|${id}`]);
  const workout = { form: "observed", occurredAt: "2026-11-15T09:00:00Z", text: "", workoutType: "running" };
  book.must({ kind: "entry.create", ...workout });
  expect(keysOf(book.live("entry")[0])).toEqual([
    `entityId|-|${book.live("entry")[0]?.id}`,
    "semanticKey|-|JOURNAL_ENTRY",
    "semanticKey|-|WORKOUT",
    "subtypeToken|change|created",
    "subtypeToken|entryForm|observed",
    "subtypeToken|workoutType|running",
  ]);
  book.must({ kind: "rating.set", targetType: "day", targetId: "2026-11-15", value: 3, note: "" });
  expect(keysOf(book.live("rating")[0])).toEqual([
    "entityId|-|2026-11-15",
    "entityId|-|rating-day-2026-11-15",
    "semanticKey|-|RATING",
    "subtypeToken|change|created",
    "subtypeToken|ratingTarget|day",
  ]);
});
