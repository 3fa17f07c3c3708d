import * as fc from "fast-check";
import { expect, test } from "vitest";
import { msOfInstant, sha256Hex } from "#base";
import { cardSchema, cardToWire, grantsOf, payloadProjection, payloadSchema, termsWords } from "#model";
import { decisionFor, GOAL, MINT, pendingFor, pendingWith, PROJECTION } from "./approval.fixture.ts";
import { judgeAnswer, mintTokens } from "./approval-token.ts";
import { cardForPayload } from "./card-payload.ts";
import { withTerms } from "./shown.ts";

const task = (id: string) => ({ ...PROJECTION, id, parent: "project-1" });
const PROJECT = { ...PROJECTION, id: "project-1", type: "project", tasks: ["a"], children: [task("a")] };
const STANDING = { ...GOAL, standing: { max_executions: 40, expires_at: "2027-01-01T00:00:00.000Z" } };

function gateAsked() {
  const context_digest = sha256Hex("context");
  const gate = { kind: "gate_approval", scope_id: "owner", gate: "cost", trigger: "on_tool_call", value: 1 };
  const payload = payloadSchema.parse({ ...gate, context_digest });
  const card = cardForPayload(payload, { strongAuth: "unavailable" });
  if (!card.ok) throw new Error("no card");
  return pendingWith(card.value, { projection: payloadProjection(payload), workItemId: "owner" });
}

const asked = {
  task: (usesMax: number) => pendingFor(PROJECTION, { usesMax }),
  project: (usesMax: number) => pendingFor(PROJECT, { usesMax }),
  "standing goal": (usesMax: number) => pendingFor(STANDING, { usesMax }),
  gate: gateAsked,
};
const settings = fc.record({
  maxExecutions: fc.integer({ min: 1, max: 1000 }),
  ttlMs: fc.integer({ min: 1, max: 1e9 }),
});

test.each(Object.entries(asked))(
  "[KEY-06] the card of a %s names the terms its own token is minted with",
  (_, make) => {
    fc.assert(
      fc.property(settings, (by) => {
        const pending = make(by.maxExecutions);
        const nonces = (grantsOf(pending) ?? []).map((__, index) => sha256Hex(`nonce ${index}`) as string);
        const minted = mintTokens({ ...MINT, ...by, pending, decision: decisionFor(pending), nonces });
        const [own] = minted.ok ? minted.value : [];
        if (own === undefined) throw new Error("no token");
        const { card } = withTerms(pending, by);
        const validMs = msOfInstant(own.expiresAt) - msOfInstant(own.issuedAt);
        expect(card.terms).toEqual({ maxExecutions: own.maxExecutions, validMs });
        expect(cardSchema.parse(cardToWire(card))).toEqual(card);
      }),
      { numRuns: 50 },
    );
  },
);

test("[T7] terms on a stored card are a change of it, and what is over gets none", () => {
  const pending = pendingFor();
  const stored = withTerms(pending, MINT);
  const answer = { ...MINT, decision: decisionFor(pending) };
  expect(judgeAnswer({ ...answer, pending }).ok).toBe(true);
  expect(judgeAnswer({ ...answer, pending: stored })).toMatchObject({ error: { code: "decision_changed" } });
  expect(withTerms({ ...pending, state: "declined" }, MINT).card.terms).toBeUndefined();
  expect(cardToWire(pending.card)).not.toHaveProperty("terms");
});

test("terms are said in words", () => {
  expect(termsWords({ uses: 3, validMs: 1_200_000 })).toBe("can be used 3 times, within 20 minutes of signing");
  expect(termsWords({ uses: 1, validMs: 60_000 })).toBe("can be used once, within 1 minute of signing");
  expect(termsWords({ uses: 1, validMs: 90_000 })).toBe("can be used once, within 90 seconds of signing");
});
