import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createTextStream } from "./text-stream.ts";
import { neutralise } from "./text.ts";

/** Everything that acts on a terminal, hides in a text or depends on its neighbours. */
const CHARACTERS = [
  "a",
  "я",
  "字",
  " ",
  "\n",
  "\r",
  "\t",
  "\u001b",
  "[",
  "\u009b",
  "\u200d",
  "\u200c",
  "\ufe0f",
  "\u20e3",
];
const MORE = ["😀", "\ud83d", "\ude00", "\u202e", "\u{e0061}", "\u{e0100}", "1", "é", "\u2028", "\u{10780}"];

test("[T24] cut anywhere, in a control sequence or a surrogate pair, a text is shown as if it came whole", () => {
  const text = fc.array(fc.constantFrom(...CHARACTERS, ...MORE), { maxLength: 24 }).map((parts) => parts.join(""));
  const cuts = fc.array(fc.nat(60), { maxLength: 12 });
  fc.assert(
    fc.property(text, cuts, (whole, places) => {
      const edges = [0, ...places.map((at) => Math.min(at, whole.length)).toSorted((a, b) => a - b), whole.length];
      const stream = createTextStream();
      const shown = edges.slice(1).map((edge, index) => stream.add(whole.slice(edges[index], edge)));
      expect(shown.join("") + stream.end()).toBe(neutralise(whole));
      for (const piece of shown) expect(piece).not.toContain("\u001b");
    }),
    { numRuns: 3000 },
  );
});

test("all but the last two characters are shown at once", () => {
  const stream = createTextStream();
  expect(stream.add("Good")).toBe("Go");
  expect(stream.add(" morning")).toBe("od morni");
  expect(stream.end()).toBe("ng");
});
