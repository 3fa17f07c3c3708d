import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex, type Instant, type JsonValue } from "#base";
import {
  approvalTokenSchema,
  approvalTokenToWire,
  signatureFromBase64,
  signatureToBase64,
  tokenSigningBytes,
  type ApprovalToken,
  type ApprovalUse,
} from "#model";
import {
  conditionsArbitrary,
  decisionFor,
  pendingFor,
  reread,
  signatureFactOf,
  signToken,
  textOf,
  tokenFor,
} from "./approval.fixture.ts";
import { altered, exchanged, placesOf } from "./mutation.fixture.ts";
import { judgeCheck, judgeVerify, type Presented } from "./approval-verify.ts";

const pending = pendingFor();
const LATER = "2026-11-15T21:10:00.000Z" as Instant;

const tokenWith = (conditions: ApprovalToken["conditions"], usesMax = 1): ApprovalToken =>
  tokenFor(pendingFor(undefined, { usesMax }), {
    decision: { ...decisionFor(pending), conditions },
    maxExecutions: usesMax,
  });

const present = (token: ApprovalToken, rest: Partial<Presented> = {}): Presented => ({
  token,
  signature: signatureFactOf(token),
  item: { workItemId: "task-1", contentHash: pending.planHash },
  scope: "full_plan",
  spawn: null,
  at: LATER,
  uses: [],
  lineage: "attempt-1",
  isVoid: false,
  ...rest,
});

test("[APPR-05] whatever one thing is changed in a token, nested conditions too, it neither verifies nor checks", () => {
  const pick = fc.tuple(conditionsArbitrary, fc.nat(), fc.nat());
  let readable = 0;
  fc.assert(
    fc.property(pick, ([conditions, where, seed]) => {
      const token = tokenWith(conditions as ApprovalToken["conditions"]);
      const whole = present(reread(token));
      const granted = judgeVerify(whole);
      expect(granted.ok).toBe(true);
      const uses: readonly ApprovalUse[] = granted.ok ? [granted.value] : [];
      const wire = approvalTokenToWire(token) as { readonly [field: string]: JsonValue };
      const places = placesOf(wire);
      const changed = exchanged(wire, places[where % places.length] ?? [], (old) => altered(old, seed));
      fc.pre(JSON.stringify(changed) !== JSON.stringify(wire));
      const read = approvalTokenSchema.safeParse(changed);
      if (!read.success) return;
      readable += 1;
      expect(judgeVerify(present(read.data)).ok).toBe(false);
      const asked = uses.map((use) => ({ ...use, nonce: read.data.nonce }));
      expect(judgeCheck(present(read.data, { uses: asked })).ok).toBe(false);
    }),
    { numRuns: 300 },
  );
  expect(readable).toBeGreaterThan(50);
});

test("[APPR-05] adding or removing a condition changes the signed bytes", () => {
  fc.assert(
    fc.property(conditionsArbitrary, fc.stringMatching(/^[A-Z]{1,5}$/), (conditions, name) => {
      const token = tokenWith(conditions as ApprovalToken["conditions"]);
      const more = { ...token, conditions: { ...token.conditions, [name]: null } };
      expect(tokenSigningBytes(more)).not.toBe(tokenSigningBytes(token));
      expect(judgeVerify(present(more)).ok).toBe(false);
      const less = { ...signToken(more), conditions: token.conditions };
      expect(judgeVerify(present(less)).ok).toBe(false);
    }),
    { numRuns: 100 },
  );
});

test("[APPR-16] a token for n uses verifies exactly n times, each use numbered and bound to the plan", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 6 }), (uses, extra) => {
      const token = tokenWith({}, uses);
      const before = textOf(approvalTokenToWire(token));
      const spent: ApprovalUse[] = [];
      for (let attempt = 1; attempt <= uses + extra; attempt += 1) {
        const answer = judgeVerify(present(token, { uses: spent, lineage: `attempt-${attempt}` }));
        expect(answer.ok).toBe(attempt <= uses);
        if (answer.ok) spent.push(answer.value);
      }
      expect(spent.map(({ useNumber }) => useNumber)).toEqual(Array.from({ length: uses }, (_, index) => index + 1));
      expect(new Set(spent.map(({ contentHash }) => contentHash))).toEqual(new Set([pending.planHash]));
      // The token itself is the same afterwards.
      expect(textOf(approvalTokenToWire(token))).toBe(before);
    }),
    { numRuns: 60 },
  );
});

const ask = fc.record({
  by: fc.constantFrom("verify", "check"),
  lineage: fc.constantFrom("attempt-1", "attempt-2", "attempt-3"),
  content: fc.constantFrom("same", "changed"),
});

test("[INV-02] changed content, a replayed use and a use beyond the signed count are refused, in any order of asking", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(ask, { maxLength: 12 }), (usesMax, asks) => {
      const token = tokenWith({}, usesMax);
      const uses: ApprovalUse[] = [];
      const granted = new Set<string>();
      for (const { by, lineage, content } of asks) {
        const contentHash = content === "same" ? pending.planHash : sha256Hex("another plan");
        const asked = present(token, { uses, lineage, item: { workItemId: "task-1", contentHash } });
        expect(judgeCheck(asked).ok).toBe(content === "same" && granted.has(lineage));
        if (by === "check") continue;
        const isFresh = content === "same" && granted.size < usesMax && !granted.has(lineage);
        const answer = judgeVerify(asked);
        expect(answer.ok).toBe(isFresh);
        if (!answer.ok) continue;
        granted.add(lineage);
        uses.push(answer.value);
      }
      expect(uses.every(({ nonce }) => nonce === token.nonce)).toBe(true);
      expect(new Set(uses.map(({ useNumber }) => useNumber)).size).toBe(uses.length);
    }),
    { numRuns: 150 },
  );
});

test("[APPR-03] a signature is the same bytes after any number of trips, and no other text is one", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (bytes) => {
      const text = signatureToBase64(bytes);
      expect(text).toBe(Buffer.from(bytes).toString("base64"));
      const read = signatureFromBase64(text);
      expect(read.ok && [...read.value]).toEqual([...bytes]);
      const token = reread(reread({ ...tokenWith({}), signature: bytes }));
      expect([...token.signature]).toEqual([...bytes]);
    }),
    { numRuns: 100 },
  );
});

test("[APPR-03] invalid base64 and the forms bytes take in JSON by themselves are refused", () => {
  const wire = approvalTokenToWire(tokenWith({}));
  const bytes = [...Buffer.from(wire.signature, "base64")];
  const wrong = [
    "",
    wire.signature.slice(1),
    `${wire.signature} `,
    ` ${wire.signature}`,
    wire.signature.replace(/==$/, ""),
    wire.signature.replace(/.==$/, "B=="),
    `${"-".repeat(85)}A==`,
    Buffer.from(bytes).toString("hex"),
    Buffer.alloc(63).toString("base64"),
    Buffer.alloc(65).toString("base64"),
    bytes,
    { type: "Buffer", data: bytes },
    Object.fromEntries(bytes.entries()),
    new Uint8Array(bytes),
    null,
  ];
  for (const signature of wrong) expect(approvalTokenSchema.safeParse({ ...wire, signature }).success).toBe(false);
  expect(approvalTokenSchema.safeParse(wire).success).toBe(true);
});
