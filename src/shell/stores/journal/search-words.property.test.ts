import * as fc from "fast-check";
import { expect, test } from "vitest";
import { indexedCopy, putTogether, setApart, withoutMarks, wordsOf } from "./search-words.ts";

const PIECES = [
  "a",
  "é",
  "日",
  "本",
  "か\u3099",
  "กิ",
  "한",
  "🎉",
  "🏽",
  "🇩",
  "🇪",
  "\u200D",
  "\uFE0F",
  " ",
  "_",
  "。",
  "𠮷",
];
const mixed = fc.oneof(
  fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 30 }),
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 30 }),
);

test("what is set apart is put together again, whatever the text", () => {
  fc.assert(
    fc.property(mixed, (text) => {
      const clean = withoutMarks(text);
      expect(putTogether(setApart(text))).toBe(clean);
      expect(putTogether(indexedCopy(text) ?? clean)).toBe(clean);
    }),
  );
});

test("words stand in their order, do not overlap, and are the words of the text they were taken from", () => {
  fc.assert(
    fc.property(mixed, (text) => {
      let end = 0;
      for (const { word, from, to } of wordsOf(text)) {
        expect(from).toBeGreaterThanOrEqual(end);
        expect(to).toBeGreaterThan(from);
        expect(word).not.toBe("");
        end = to;
      }
      expect(end).toBeLessThanOrEqual(text.normalize("NFC").length);
    }),
  );
});

test("what is indexed stays as earlier versions wrote it: letters as they are, everything else by its number", () => {
  expect(indexedCopy("a日本")).toBe("a\u0001日\u0001\u0001本\u0001");
  expect(indexedCopy("🍋")).toBe("\u0001\uE0010127819\u0001");
  expect(indexedCopy("🇩🇪")).toBe("\u0001\uE0010127465\uE0010127466\u0001");
  expect(indexedCopy("𠀀")).toBe("\u0001\uE0010131072\u0001");
  expect(indexedCopy("plain and grün")).toBeNull();
});
