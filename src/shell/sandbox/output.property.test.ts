import { assert, array, integer, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { createCapture } from "./output.ts";

const pieces = array(uint8Array({ maxLength: 40 }), { maxLength: 20 });

test("[SBX-07] what is kept are the first bytes, however they arrive", () => {
  assert(
    property(pieces, integer({ min: 1, max: 300 }), (chunks, bytesMax) => {
      const whole = Buffer.concat(chunks);
      const capture = createCapture({ bytesMax, onFlood: () => {}, onText: null });
      for (const chunk of chunks) capture.take(chunk);
      const { bytes, isTruncated } = capture.end();
      expect(Buffer.from(bytes)).toEqual(whole.subarray(0, bytesMax));
      expect(isTruncated).toBe(whole.length > bytesMax);
    }),
    { numRuns: 200 },
  );
});

test("lines are those of the bytes that are kept, however they arrive", () => {
  const text = array(
    integer({ min: 0, max: 3 }).map((at) => ["a", "\n", "ä", "€"][at] ?? ""),
    { maxLength: 60 },
  );
  assert(
    property(text, integer({ min: 1, max: 7 }), (letters, step) => {
      const bytes = Buffer.from(letters.join(""));
      const lines: string[] = [];
      const capture = createCapture({ bytesMax: 1000, onFlood: () => {}, onText: (line) => lines.push(line) });
      for (let at = 0; at < bytes.length; at += step) capture.take(bytes.subarray(at, at + step));
      capture.end();
      expect(lines).toEqual(
        letters
          .join("")
          .replace(/\n$/, "")
          .split("\n")
          .slice(0, bytes.length === 0 ? 0 : undefined),
      );
    }),
    { numRuns: 200 },
  );
});

test("a line without an end is told in pieces, and a flood is told once", () => {
  const lines: string[] = [];
  let floods = 0;
  const capture = createCapture({ bytesMax: 20_000, onFlood: () => (floods += 1), onText: (line) => lines.push(line) });
  const chunk = Buffer.alloc(1024 * 1024, "x");
  for (let count = 0; count < 130; count += 1) capture.take(chunk);
  expect(capture.end()).toMatchObject({ isTruncated: true });
  expect(lines.map((line) => line.length)).toEqual([8192, 8192, 3616]);
  expect(floods).toBe(1);
});
