import { describe, expect, test } from "vitest";
import { foldForForms } from "./folded.ts";

const ITSELF = null;
const HIDDEN = "";

type Edge = readonly [number, string | null];

describe("how a detector of forms reads one character", () => {
  test.each<readonly [string, Edge, Edge, Edge, Edge]>([
    ["accents that stand alone", [0x2ff, ITSELF], [0x300, HIDDEN], [0x36f, HIDDEN], [0x370, ITSELF]],
    ["Mongolian selectors", [0x180a, ITSELF], [0x180b, HIDDEN], [0x180f, HIDDEN], [0x1810, ITSELF]],
    ["spaces", [0x1fff, ITSELF], [0x2000, " "], [0x200a, " "], [0x3000, " "]],
    ["joiners and marks of direction", [0x200a, " "], [0x200b, HIDDEN], [0x200f, HIDDEN], [0x2010, "-"]],
    ["dashes", [0x2010, "-"], [0x2015, "-"], [0x2016, ITSELF], [0x2212, "-"]],
    ["turns of direction", [0x2029, ITSELF], [0x202a, HIDDEN], [0x202e, HIDDEN], [0x202f, " "]],
    ["invisible operators", [0x205f, ITSELF], [0x2060, HIDDEN], [0x206f, HIDDEN], [0x2070, ITSELF]],
    ["variation selectors", [0xfdff, ITSELF], [0xfe00, HIDDEN], [0xfe0f, HIDDEN], [0xfe10, ITSELF]],
    ["tags", [0xdffff, ITSELF], [0xe0000, HIDDEN], [0xe01ef, HIDDEN], [0xe01f0, ITSELF]],
    ["Arabic digits", [0x65f, ITSELF], [0x660, "0"], [0x669, "9"], [0x66a, ITSELF]],
    ["Persian digits", [0x6ef, ITSELF], [0x6f0, "0"], [0x6f9, "9"], [0x6fa, ITSELF]],
    ["Devanagari digits", [0x965, ITSELF], [0x966, "0"], [0x96f, "9"], [0x970, ITSELF]],
    ["wide characters", [0xff00, ITSELF], [0xff01, "!"], [0xff5e, "~"], [0xff5f, ITSELF]],
    ["mathematical digits", [0x1d7cd, ITSELF], [0x1d7ce, "0"], [0x1d7ff, "9"], [0x1d800, ITSELF]],
  ])("%s: %o, %o, %o, %o", (_, ...edges) => {
    for (const [point, read] of edges) {
      const character = String.fromCodePoint(point);
      expect(foldForForms(`a${character}b`).text).toBe(`a${read ?? character}b`);
    }
  });
});

test("each character of what is read leads back to its place, and nothing is read behind the end", () => {
  const folded = (text: string) => {
    const { text: read, at } = foldForForms(text);
    return [read, Array.from({ length: read.length + 1 }, (_, index) => at(index))];
  };
  expect(folded("ab")).toEqual(["ab", [0, 1, 2]]);
  expect(folded("é１")).toEqual(["é1", [0, 1, 2]]);
  expect(folded("a\u200bb")).toEqual(["ab", [0, 2, 3]]);
  expect(folded("\uffffab")).toEqual(["\uffffab", [0, 1, 2, 3]]);
  expect(folded("😀a")).toEqual(["😀a", [0, 1, 2, 3]]);
  expect(folded("𝟙a")).toEqual(["1a", [0, 2, 3]]);
});
