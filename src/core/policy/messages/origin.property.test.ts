import * as fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine } from "#base";
import { taintWithSources } from "../taint/taint.ts";
import { suggestionSources } from "./origin.ts";

const words = fc.string({ minLength: 1, maxLength: 60 }).filter((text) => oneLine(text).trim() !== "");
const said = (rationale: string) => ({ suggestionId: "suggestion-1", rationale: oneLine(rationale).trim() });

test("[TAINT-06] the words of a suggestion sent as they were are external, whoever signs them and whatever stands around them", () => {
  fc.assert(
    fc.property(words, fc.constantFrom("", " ", "\n", "\t "), (text, around) => {
      const sources = suggestionSources(`${around}${text}${around}`, said(text));
      expect(sources).toEqual([{ item_id: "suggestion-1", relation: "suggestion", taint: "external" }]);
      expect(taintWithSources("owner", sources)).toBe("external");
    }),
  );
});

test("[TAINT-06] words that were changed are the sender's own, and so are those that nobody suggested", () => {
  fc.assert(
    fc.property(words, words, (text, other) => {
      fc.pre(oneLine(text).trim() !== oneLine(other).trim());
      expect(suggestionSources(other, said(text))).toEqual([]);
    }),
  );
  expect(suggestionSources("Do it", null)).toEqual([]);
});
