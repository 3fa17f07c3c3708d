import { expect, test } from "vitest";
import * as z from "zod/mini";
import { maxLength, minLength } from "./values.ts";

const THROWING_LENGTHS = ['{"length":{"valueOf":1,"toString":1}}', '{"length":{"valueOf":{},"toString":[]}}'];

test.each(THROWING_LENGTHS)("a schema with a length refuses %s and does not throw", (json) => {
  const value: unknown = JSON.parse(json);
  for (const check of [maxLength(5), minLength(1)]) {
    expect(z.string().check(check).safeParse(value).success).toBe(false);
    expect(z.array(z.string()).check(check).safeParse(value).success).toBe(false);
  }
});

test("lengths of texts and lists are judged", () => {
  const text = z.string().check(minLength(2), maxLength(3));
  expect(["a", "ab", "abc", "abcd"].map((value) => text.safeParse(value).success)).toEqual([false, true, true, false]);
  const list = z.array(z.number()).check(minLength(1), maxLength(2));
  expect([[], [1], [1, 2], [1, 2, 3]].map((value) => list.safeParse(value).success)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
