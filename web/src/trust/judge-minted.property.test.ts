import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeMinted, judgeShown, type ShownRequest } from "./judge-minted.ts";
import {
  minted,
  mintedProject,
  mintedWithPasskey,
  shownRequest,
  signing,
  token as mintedToken,
  withTerms,
} from "./judge-minted.fixture.ts";

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

  test("[KEY-06] whatever the settings are, a task and a project are signed for the terms on the card and no others", () => {
    const { request: project, tokens } = mintedProject();
    const terms = fc.record({ max_executions: fc.integer({ min: 1, max: 1000 }), valid_ms: fc.nat(86_400_000) });
    const ending = (validMs: number) => new Date(Date.parse(mintedToken.issued_at) + validMs).toISOString();
    fc.assert(
      fc.property(terms, terms, fc.boolean(), (shown, used, isProject) => {
        const made = (isProject ? tokens : [mintedToken]).map((each, index) => ({
          ...each,
          max_executions: index === 0 ? used.max_executions : 1,
          expires_at: ending(used.valid_ms),
        }));
        const request = withTerms(isProject ? project : shownRequest(), shown);
        const judged = judgeMinted({ ...signing, request }, { tokens: made, passkey: null });
        expect(judged.ok).toBe(isSame(shown, used));
        const same = judgeMinted({ ...signing, request: withTerms(request, used) }, { tokens: made, passkey: null });
        expect(same.ok).toBe(true);
      }),
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
