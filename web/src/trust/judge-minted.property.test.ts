import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeMinted, judgeShown, type ShownRequest } from "./judge-minted.ts";
import { minted, mintedWithPasskey, shownRequest, signing } from "./judge-minted.fixture.ts";

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

describe("laws of signing", () => {
  test("[KEY-06] no field of a token may hold anything but what it must", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(minted, mintedWithPasskey),
        fc.nat(),
        fc.json({ maxDepth: 2 }),
        (made, pick, text) => {
          const token = made.tokens[0] as { readonly [field: string]: unknown };
          const fields = Object.keys(token);
          const field = fields[pick % fields.length] ?? "";
          const value: unknown = JSON.parse(text);
          fc.pre(!isSame(value, token[field]));
          expect(judgeMinted(signing, { ...made, tokens: [{ ...token, [field]: value }] }).ok, field).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("[KEY-06] no character of a token may be another", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(minted, mintedWithPasskey),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (made, pick, other) => {
          const text = JSON.stringify(made.tokens[0]);
          const at = pick % text.length;
          const changed = text.slice(0, at) + other + text.slice(at + 1);
          fc.pre(changed !== text);
          const parsed = parsedOrNull(changed);
          fc.pre(parsed === null || !isSame(parsed, made.tokens[0]));
          expect(judgeMinted(signing, { ...made, tokens: [parsed] }).ok).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("[T7] no character of the shown text may be another, whatever hash is claimed for it", () => {
    const { projection } = shownRequest();
    fc.assert(
      fc.property(fc.nat(), fc.string({ maxLength: 2 }), (pick, other) => {
        const at = pick % projection.length;
        const changed = projection.slice(0, at) + other + projection.slice(at + 1);
        fc.pre(changed !== projection);
        const request: ShownRequest = { ...shownRequest(), projection: changed };
        expect(judgeShown(request).ok).toBe(false);
        expect(judgeMinted({ ...signing, request }, minted).ok).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
