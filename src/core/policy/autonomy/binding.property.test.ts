import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import { grantsOf, payloadProjection, payloadSchema, type Payload } from "#model";
import { AT, pendingWith, signatureFactOf, tokenFor } from "../approval.fixture.ts";
import { judgeVerify } from "../approval-verify.ts";
import { cardForPayload } from "../card-payload.ts";

const PROPOSAL: Payload = payloadSchema.parse({
  kind: "autonomy_threshold",
  proposal_id: "p1",
  scope_id: "owner",
  goal_id: null,
  changes: [
    { key: "batch_review.default_size", current_value: "10", proposed_value: "15", direction: "widen" },
    { key: "batch_review.confidence.high_min", current_value: "0.85", proposed_value: "0.8", direction: "widen" },
  ],
  sample_size: 41,
  correction_rate: 0.0244,
  evidence_window: "41 decisions",
  rationale: "Few corrections.",
  risk_level: "high",
  created_at: "2026-11-16T08:00:00.000Z",
});
const [FIRST, SECOND] = PROPOSAL.kind === "autonomy_threshold" ? PROPOSAL.changes : [];

const word = fc.stringMatching(/^[a-z0-9]{1,12}$/);
/** Some of what is bound, and another value for it. */
const altered = fc.oneof(
  word.map((scope_id) => ({ scope_id })),
  word.map((goal_id) => ({ goal_id })),
  fc.nat({ max: 1000 }).map((sample_size) => ({ sample_size })),
  fc.double({ min: 0, max: 1, noNaN: true }).map((correction_rate) => ({ correction_rate: Math.abs(correction_rate) })),
  word.map((evidence_window) => ({ evidence_window })),
  fc.constantFrom([SECOND, FIRST], [FIRST], [SECOND]).map((changes) => ({ changes })),
  fc.nat({ max: 50 }).map((size) => ({ changes: [{ ...FIRST, proposed_value: `${size}` }, SECOND] })),
  fc.nat({ max: 50 }).map((size) => ({ changes: [{ ...FIRST, current_value: `${size}` }, SECOND] })),
  fc.constant({ changes: [{ ...FIRST, direction: "tighten" }, SECOND] }),
);

test("[AUTO-14] any bound value that is altered is not what was approved; the words around it bind nobody", () => {
  const card = cardForPayload(PROPOSAL, { strongAuth: "unavailable" });
  const projection = payloadProjection(PROPOSAL);
  const [grant] = grantsOf({ kind: "autonomy_threshold", projection }) ?? [];
  if (!card.ok || grant === undefined) throw new Error("it can be approved");
  const { workItemId } = grant;
  const token = tokenFor(pendingWith(card.value, { projection, workItemId }));
  const judge = (content: Payload) =>
    judgeVerify({
      token,
      signature: signatureFactOf(token),
      item: { workItemId, contentHash: sha256Hex(payloadProjection(content)) },
      scope: grant.scope,
      spawn: null,
      at: AT,
      uses: [],
      lineage: "attempt-1",
      isVoid: false,
    });
  expect(judge(PROPOSAL).ok).toBe(true);
  expect(judge(payloadSchema.parse({ ...PROPOSAL, rationale: "Other words.", proposal_id: "p2" })).ok).toBe(true);
  fc.assert(
    fc.property(altered, (change) => {
      const other = payloadSchema.parse({ ...PROPOSAL, ...change });
      fc.pre(payloadProjection(other) !== projection);
      expect(judge(other)).toMatchObject({ ok: false, error: { code: "approval_hash_differs" } });
    }),
  );
});
