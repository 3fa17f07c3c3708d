import * as fc from "fast-check";
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { sha256Hex, type Instant, type JsonValue } from "#base";
import {
  batchActionItemSchema,
  batchAfter,
  batchDecisionSchema,
  batchProposalSchema,
  cardSchema,
  cardToWire,
  grantsOf,
  parsePayload,
  payloadProjection,
  payloadSchema,
  REQUEST_KINDS,
  SCOPE_OF_KIND,
  type BatchProposal,
  type Payload,
  type PayloadBody,
  type PendingDecision,
} from "#model";
import {
  decisionFor,
  holds,
  MINT,
  pendingWith,
  RECEIPT_KEY,
  signatureFactOf,
  textOf,
  tokenFor,
} from "./approval.fixture.ts";
import { mintTokens } from "./approval-token.ts";
import { judgeCheck, judgeVerify, type Presented } from "./approval-verify.ts";
import { cardForPayload, riskOfPayload } from "./card-payload.ts";
import { altered, exchanged, placesOf } from "./mutation.fixture.ts";
import { isProven, renderReceipt, verifyReceipt } from "./receipt.ts";

const item = (itemId: string) => ({
  item_id: itemId,
  title: `Title of ${itemId}`,
  actor: "news@a.example",
  occurred_at: "2026-11-01T08:00:00.000Z",
  reason: "Never opened",
  confidence: 0.97,
});
const BATCH_BODY: PayloadBody = {
  kind: "batch_review",
  batch_id: "batch-1",
  goal_id: "goal-1",
  action: "archive",
  params: { folder: "old" },
  items: [item("m1"), item("m2"), item("m3")],
  reason_summary: "Old newsletters",
  confidence_min: 0.97,
  created_at: "2026-11-15T08:00:00.000Z",
};
const CONTENT = "Meet at nine.";
const BODIES: readonly PayloadBody[] = [
  BATCH_BODY,
  {
    kind: "autonomy_threshold",
    proposal_id: "proposal-1",
    scope_id: "owner",
    goal_id: null,
    changes: [
      { key: "batch_review.default_size", current_value: "10", proposed_value: "20", direction: "widen" },
      { key: "standing.max_executions", current_value: "5", proposed_value: "3", direction: "tighten" },
    ],
    sample_size: 50,
    correction_rate: 0.04,
    evidence_window: "last 50 batches / 14 days",
    rationale: "You rarely correct these.",
    risk_level: "medium",
    created_at: "2026-11-15T08:00:00.000Z",
  },
  {
    kind: "memory_promotion",
    item_id: "msg-1",
    item_digest: sha256Hex(CONTENT),
    content: CONTENT,
    from: "external",
    to: "owner",
  },
  {
    kind: "gate_approval",
    scope_id: "owner",
    gate: "amount",
    trigger: "on_tool_call",
    value: 120,
    context_digest: sha256Hex("context"),
  },
];
const PAYLOADS: readonly Payload[] = BODIES.map((body) => payloadSchema.parse(body));
const BATCH = batchProposalSchema.parse(BATCH_BODY);

function pendingOf(payload: Payload): PendingDecision {
  const card = cardForPayload(payload, { strongAuth: "unavailable" });
  const projection = payloadProjection(payload);
  const [grant] = grantsOf({ kind: payload.kind, projection }) ?? [];
  if (!card.ok || grant === undefined) throw new Error("no card");
  return pendingWith(card.value, { projection, workItemId: grant.workItemId });
}

const LATER = "2026-11-15T21:10:00.000Z" as Instant;
const presented = (asked: PendingDecision, rest: Partial<Presented> = {}): Presented => {
  const token = rest.token ?? tokenFor(asked);
  return {
    token,
    signature: signatureFactOf(token),
    item: { workItemId: asked.workItemId, contentHash: asked.planHash },
    scope: token.scope,
    spawn: null,
    at: LATER,
    uses: [],
    lineage: "attempt-1",
    isVoid: false,
    ...rest,
  };
};

describe.each(PAYLOADS.map((payload) => [payload.kind, payload] as const))("a %s", (kind, payload) => {
  test("[APPR-10] [CARD-01] has a card that keeps the contract and shows every value that is hashed", () => {
    const { card, projection } = pendingOf(payload);
    expect(cardSchema.safeParse(cardToWire(card)).success).toBe(true);
    expect([card.cardType, card.budget, card.capabilities, card.checks]).toEqual([kind, null, null, []]);
    expect(card.planHash).toBe(createHash("sha256").update(projection, "utf8").digest("hex"));
    const between = kind === "autonomy_threshold" ? ["tighten_now"] : [];
    expect(card.ctas.map(({ action }) => action)).toEqual(["approve", ...between, "decline"]);
    const shown = new Map(card.details.rows.map(({ path, text }) => [path, text]));
    const leaves = placesOf(JSON.parse(projection) as JsonValue).filter(
      (one) =>
        typeof one.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], JSON.parse(projection)) !==
        "object",
    );
    expect(leaves.every((one) => shown.has(`/${one.join("/")}`))).toBe(true);
  });

  test("[APPR-10] takes the way of a plan: minted, signed, verified once, with a receipt", () => {
    const asked = pendingOf(payload);
    const token = tokenFor(asked);
    expect([token.scope, token.workItemId, token.maxExecutions]).toEqual([SCOPE_OF_KIND[kind], asked.workItemId, 1]);
    const use = judgeVerify(presented(asked, { token }));
    if (!use.ok) throw new Error(use.error.code);
    expect(judgeVerify(presented(asked, { token, uses: [use.value], lineage: "attempt-2" })).ok).toBe(false);
    expect(judgeCheck(presented(asked, { token, uses: [use.value] })).ok).toBe(true);
    const receipt = renderReceipt({
      token,
      projection: asked.projection,
      key: RECEIPT_KEY,
      uses: [use.value],
      also: [],
      audit: null,
      executions: [],
    });
    expect(isProven(verifyReceipt(receipt, { verifySignature: holds }))).toBe(true);
  });

  test("[INV-02] one thing changed in its values or in the stored row authorises nothing", () => {
    const asked = pendingOf(payload);
    const token = tokenFor(asked);
    let judged = 0;
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (where, seed) => {
        const whole = JSON.parse(asked.projection) as JsonValue;
        const places = placesOf(whole);
        const changed = textOf(exchanged(whole, places[where % places.length] ?? [], (old) => altered(old, seed)));
        if (changed === asked.projection) return;
        judged += 1;
        const contentHash = sha256Hex(changed);
        expect(judgeVerify(presented(asked, { token, item: { workItemId: asked.workItemId, contentHash } })).ok).toBe(
          false,
        );
        const minted = mintTokens({
          ...MINT,
          maxExecutions: 5,
          pending: { ...asked, projection: changed },
          decision: decisionFor(asked),
        });
        expect(minted.ok).toBe(false);
      }),
      { numRuns: 60 },
    );
    expect(judged).toBeGreaterThan(20);
    const [row, ...rows] = asked.card.details.rows;
    if (row === undefined) throw new Error("rows");
    const hidden = { ...asked.card, details: { ...asked.card.details, rows } };
    const lied = { ...asked.card, details: { ...asked.card.details, rows: [{ ...row, text: "harmless" }, ...rows] } };
    const kinds = REQUEST_KINDS.filter((other) => other !== kind);
    for (const change of [
      { card: hidden },
      { card: lied },
      { card: { ...asked.card, intent: "Nothing to see here" } },
      { card: { ...asked.card, rationale: "Nothing to see here" } },
      { card: { ...asked.card, ctas: asked.card.ctas.slice(0, 1) } },
      { card: { ...asked.card, cardType: kinds[0] ?? kind } },
      { workItemId: "another" },
      { riskLevel: "low", card: { ...asked.card, riskLevel: asked.riskLevel === "low" ? "medium" : "low" } },
      { planHash: sha256Hex("another") },
      ...kinds.map((other) => ({ kind: other })),
    ] as const) {
      const minted = mintTokens({
        ...MINT,
        maxExecutions: 5,
        pending: { ...asked, ...change } as PendingDecision,
        decision: decisionFor(asked),
      });
      expect(minted, JSON.stringify(change).slice(0, 80)).toMatchObject({ error: { code: "decision_changed" } });
    }
  });
});

describe("a batch", () => {
  test("is said as what it is where its word is known, and as the word of its domain where it is not", () => {
    const said = (action: string): readonly (string | undefined)[] => {
      const card = cardForPayload({ ...BATCH, kind: "batch_review", action } as Payload, { strongAuth: "unavailable" });
      return card.ok ? [card.value.intent, card.value.ctas[0]?.consequenceLabel] : [];
    };
    const count = BATCH.items.length;
    expect(said("delete")).toEqual([`Delete ${count} items`, `Approve: delete ${count} items`]);
    expect(said("keep")).toEqual([`Do keep to ${count} items`, `Approve: keep, ${count} items`]);
  });

  test("[CARD-12] has items with who, when, why and how sure, and a proposal around them; anything else is no batch", () => {
    expect(Object.keys(batchActionItemSchema.parse(item("m1"))).toSorted()).toEqual(
      ["item_id", "title", "actor", "occurred_at", "reason", "confidence"].toSorted(),
    );
    expect(Object.keys(BATCH).toSorted()).toEqual(
      [
        "kind",
        "batch_id",
        "goal_id",
        "action",
        "params",
        "items",
        "reason_summary",
        "confidence_min",
        "created_at",
      ].toSorted(),
    );
    for (const wrong of [
      { items: [] },
      { items: [item("m1"), item("m1")] },
      { items: [{ ...item("m1"), confidence: 1.5 }] },
      { items: [{ ...item("m1"), title: "a\u202Eb" }] },
      { items: [{ ...item("m1"), more: 1 }] },
      { action: "Archive all" },
      { confidence_min: -1 },
      { more: true },
    ]) {
      expect(batchProposalSchema.safeParse({ ...BATCH_BODY, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
    }
    for (const field of Object.keys(BATCH)) {
      const { [field as keyof BatchProposal]: _left, ...rest } = BATCH;
      expect(batchProposalSchema.safeParse(rest).success, field).toBe(false);
    }
  });

  test("[CARD-13] is answered with approve, decline or a selection; the chosen items count for a selection alone", () => {
    const answers = (verdict: string, selected?: readonly string[]) =>
      batchDecisionSchema.safeParse({ verdict, ...(selected === undefined ? {} : { selected_item_ids: selected }) });
    expect(["approve", "decline", "edit_selection", "maybe"].map((verdict) => answers(verdict).success)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const after = (verdict: "approve" | "decline" | "edit_selection", selected: string[]) => {
      const batch = batchAfter(BATCH, { verdict, selected_item_ids: selected });
      return batch.ok ? (batch.value?.items.map(({ item_id }) => item_id) ?? null) : batch.error.code;
    };
    expect(after("approve", ["m2"])).toEqual(["m1", "m2", "m3"]);
    expect(after("decline", ["m2"])).toBeNull();
    expect(after("edit_selection", ["m3", "m1"])).toEqual(["m3", "m1"]);
    for (const selected of [[], ["m1", "m2", "m3"], ["m1", "m1"], ["m4"], ["m1", "m4"]]) {
      expect(after("edit_selection", selected), selected.join()).toBe("selection_refused");
    }
  });

  test("[BATCH-08] [CARD-14] its hash is that of goal, action, settings, items in order and their number, as pinned", () => {
    const text =
      '{"action":"archive","count":3,"goal_id":"goal-1","item_ids":["m1","m2","m3"],"params":{"folder":"old"}}';
    expect(payloadProjection(BATCH)).toBe(text);
    expect(tokenFor(pendingOf(BATCH)).planHash).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
    expect(sha256Hex(text)).toBe("974ddb9aa1cfe2a59be1be61a873946c12b501c9d72b8347952fb57904feb3df");
  });

  test("[BATCH-09] [CARD-14] another action, goal, setting, item, order or number makes the old approval fail", () => {
    const asked = pendingOf(BATCH);
    const token = tokenFor(asked);
    const others = fc.record(
      {
        action: fc.constantFrom("archive", "mark_read", "delete"),
        goal_id: fc.constantFrom("goal-1", "goal-2"),
        params: fc.constantFrom({ folder: "old" }, { folder: "new" }, null),
        items: fc.shuffledSubarray(["m1", "m2", "m3", "m4"], { minLength: 1 }).map((ids) => ids.map(item)),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(others, (change) => {
        const other = payloadSchema.parse({ ...BATCH_BODY, ...change });
        const isSame = payloadProjection(other) === payloadProjection(BATCH);
        const { workItemId, planHash } = pendingOf(other);
        const answer = judgeVerify(presented(asked, { token, item: { workItemId, contentHash: planHash } }));
        expect(answer.ok).toBe(isSame);
      }),
      { numRuns: 80 },
    );
  });

  test("[CARD-15] [BATCH-09] its name, titles and reasons are not in the hash and authorise nothing", () => {
    const renamed = {
      ...BATCH,
      batch_id: "batch-2",
      reason_summary: "Else",
      items: BATCH.items.map((one) => ({ ...one, title: "Else" })),
    };
    expect(payloadProjection(renamed)).toBe(payloadProjection(BATCH));
    expect(pendingOf(BATCH).card.details.notes.map(({ path }) => path)).toContain("/batch_id");
    const byName = { workItemId: "batch-1", contentHash: sha256Hex("batch-1") };
    expect(judgeVerify(presented(pendingOf(BATCH), { item: byName })).ok).toBe(false);
  });

  test("[RISK-04] weighs by what the action leaves behind; a word nobody knows weighs high", () => {
    const riskFor = (action: string) => {
      const { projection } = pendingOf({ ...BATCH, action });
      return riskOfPayload({
        kind: "batch_review",
        ...(JSON.parse(projection) as Omit<
          Extract<Parameters<typeof riskOfPayload>[0], { kind: "batch_review" }>,
          "kind"
        >),
      });
    };
    expect(["archive", "label", "move"].map(riskFor)).toEqual(["medium", "medium", "medium"]);
    expect(["delete", "unsubscribe"].map(riskFor)).toEqual(["irreversible", "irreversible"]);
    expect(["pay", "constructor"].map(riskFor)).toEqual(["high", "high"]);
  });
});

test("risk is the table's: limits high, a gate medium, trust low, whatever a proposal says of itself", () => {
  expect(PAYLOADS.map((payload) => pendingOf(payload).riskLevel)).toEqual(["medium", "high", "low", "medium"]);
});

test("a promotion shows the text whose digest it names, and only ever raises trust", () => {
  const promotion = BODIES.find(({ kind }) => kind === "memory_promotion");
  const refused = [
    { content: "Else." },
    { item_digest: sha256Hex("x") },
    { to: "external" },
    { from: "owner" },
    { to: "all" },
  ];
  for (const change of refused) expect(payloadSchema.safeParse({ ...promotion, ...change }).success).toBe(false);
  expect(payloadSchema.safeParse({ ...promotion, to: "auth" }).success).toBe(true);
});

test("what is no payload is refused, never thrown: any text, any kind, other keys", () => {
  for (const text of [
    "",
    "null",
    "[]",
    '{"kind":"plan_approval"}',
    '{"kind":"__proto__"}',
    '{"kind":1}',
    '{"a":1,"a":2}',
  ]) {
    expect(parsePayload(text).ok, text).toBe(false);
  }
  for (const body of BODIES) {
    expect(parsePayload(JSON.stringify(body)).ok).toBe(true);
    expect(parsePayload(JSON.stringify({ ...body, approval_token: "x" })).ok).toBe(false);
    expect(parsePayload(JSON.stringify({ ...body, kind: "plan_approval" })).ok).toBe(false);
  }
});
