import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "#base";
import type { Timers } from "#ports";
import { BodyRefused, readBodyLines } from "./body-lines.ts";

const never: Timers = { after: () => () => {} };

async function linesOf(chunks: readonly Uint8Array[], timers: Timers = never): Promise<readonly string[]> {
  // A body is read as any stream is; nothing else of a request is touched.
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk))) as Readable & Partial<IncomingMessage>;
  const lines: string[] = [];
  for await (const line of readBodyLines(stream as IncomingMessage, timers)) lines.push(line);
  return lines;
}

/** The same bytes, cut at the given places, which may fall inside a character. */
function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "accepted",
    (thrown: unknown) => (thrown instanceof BodyRefused ? thrown.refusal.code : "thrown"),
  );

describe("lines of a body", () => {
  test("are the same however the bytes were cut into chunks", async () => {
    const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replace(/[\r\n]/gu, ""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 10 }),
        fc.constantFrom("\n", "\r\n"),
        async (lines, places, lineBreak) => {
          const bytes = new TextEncoder().encode(lines.map((each) => each + lineBreak).join(""));
          expect(await linesOf(cut(bytes, places))).toEqual(lines);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("random bytes are lines or a refusal, and nothing else is thrown", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        async (bytes, places) => {
          expect(["accepted", "invalid_utf8"]).toContain(await codeOf(linesOf(cut(bytes, places))));
        },
      ),
      { numRuns: 200 },
    );
  });

  test("one longer than the limit is refused, before its end arrives", async () => {
    const chunk = new Uint8Array(LIMITS.importLineBytes / 2 + 1).fill(0x61);
    expect(await codeOf(linesOf([chunk, chunk]))).toBe("body_too_large");
  });

  test("a pause that is too long ends the reading", async () => {
    const atOnce: Timers = {
      after(_delayMs, work) {
        work();
        return () => {};
      },
    };
    expect(await codeOf(linesOf([new Uint8Array(1)], atOnce))).toBe("body_too_slow");
  });
});

test("a line may be as long as its limit, and not one byte longer, wherever it ends", async () => {
  const longest = Buffer.alloc(LIMITS.importLineBytes, "x");
  const line = longest.toString();
  const [half, rest] = [longest.subarray(0, 1000), longest.subarray(1000)];
  expect((await linesOf([longest, Buffer.from("\n"), half, rest])).every((one) => one === line)).toBe(true);
  const longer = Buffer.concat([longest, Buffer.from("x")]);
  for (const chunks of [[longer], [longer, Buffer.from("\n")], [Buffer.concat([longer, Buffer.from("\n")])]]) {
    expect(await codeOf(linesOf(chunks))).toBe("body_too_large");
  }
  // Refused as soon as it is too long, and not only once its end has come.
  let read = 0;
  async function* endless() {
    for (; read < 100; read += 1) yield longer;
  }
  const stream = Readable.from(endless()) as Readable & Partial<IncomingMessage>;
  const reading = readBodyLines(stream as IncomingMessage, never)[Symbol.asyncIterator]();
  expect(await codeOf(reading.next())).toBe("body_too_large");
  expect(read).toBeLessThan(50);
});
