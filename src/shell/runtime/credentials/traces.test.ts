import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tracesOf } from "./traces.ts";

const secretBytes = fc.uint8Array({ minLength: 8, maxLength: 40 });
const around = fc.uint8Array({ maxLength: 12 });
const holds = (text: Uint8Array | string, traces: readonly Uint8Array[]): boolean =>
  traces.some((trace) => Buffer.from(text).indexOf(trace) !== -1);

/** How a program shows what it has, as a whole or in the middle of something else. */
const SHOWN: readonly ((whole: Buffer) => Buffer | string)[] = [
  (whole) => whole,
  (whole) => whole.toString("hex"),
  (whole) => whole.toString("hex").toUpperCase(),
  (whole) => whole.toString("base64"),
  (whole) => whole.toString("base64url"),
  (whole) => [...whole].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
];

test("[SECRET-04] a secret is found wherever it stands in what is shown, in each way of writing it down", () => {
  fc.assert(
    fc.property(secretBytes, around, around, (secret, before, after) => {
      const traces = tracesOf(secret);
      const whole = Buffer.concat([before, secret, after]);
      for (const show of SHOWN) expect(holds(show(whole), traces)).toBe(true);
      expect(holds(createHash("sha256").update(secret).digest("hex"), traces)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("as text it is found in addresses and in JSON", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, maxLength: 30, unit: "grapheme" }), (secret) => {
      const traces = tracesOf(Buffer.from(secret));
      expect(holds(`https://a.example/?key=${encodeURIComponent(secret)}&x`, traces)).toBe(true);
      expect(holds(JSON.stringify({ key: `a ${secret} b` }), traces)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("what shows nothing of it is left alone", () => {
  const traces = tracesOf(Buffer.from("canary-of-the-vault"));
  for (const text of ["", "canary", "the vault", "a".repeat(10_000), Buffer.from("canary-of-the").toString("base64")]) {
    expect(holds(text, traces)).toBe(false);
  }
});
