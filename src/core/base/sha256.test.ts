import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex } from "./sha256.ts";

test("digests are those of the platform, for text and for bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (text, bytes) => {
      expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
      expect(sha256Hex(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
    }),
  );
});

test("a text that has no UTF-8 form has no digest", () => {
  expect(() => sha256Hex("\ud800")).toThrow("well-formed");
});
