import { describe, expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import { projectionRows, type UnsignedTokenBody } from "#model";
import { judgeMinted, judgeShown, type ShownRequest } from "./judge-minted.ts";
import {
  minted,
  mintedProject,
  mintedWithPasskey,
  shownRequest,
  signing,
  token,
  withTerms,
} from "./judge-minted.fixture.ts";

const said = (change: Partial<UnsignedTokenBody>) => {
  const judged = judgeMinted(signing, { ...minted, tokens: [{ ...token, ...change }] });
  return judged.ok ? "signed" : judged.error;
};
const shown = (change: Partial<ShownRequest>) => {
  const judged = judgeShown({ ...shownRequest(), ...change });
  return judged.ok ? "shown" : judged.error;
};

describe("what is shown", () => {
  test("holds when hash, spelling, item and rows are those of one text", () => {
    expect(judgeShown(shownRequest()).ok).toBe(true);
  });

  test("[T7] another text under the same hash, or the same text under another, is not signed", () => {
    const { projection } = shownRequest();
    expect(shown({ projection: projection.replace("Tidy", "Burn") })).toEqual({ code: "shown_differs", what: "hash" });
    expect(shown({ plan_hash: sha256Hex("another") })).toEqual({ code: "shown_differs", what: "hash" });
    const { card } = shownRequest();
    expect(shown({ card: { ...card, plan_hash: sha256Hex("another") } })).toEqual({
      code: "shown_differs",
      what: "hash",
    });
  });

  test("another spelling of the same values is not signed, though its hash is its own", () => {
    const { projection, card } = shownRequest();
    const spaced = projection.replace(":", ": ");
    const hash = sha256Hex(spaced);
    expect(shown({ projection: spaced, plan_hash: hash, card: { ...card, plan_hash: hash } })).toEqual({
      code: "shown_differs",
      what: "spelling",
    });
  });

  test("a card that leaves out a row, or says another thing in one, is not signed", () => {
    const { card } = shownRequest();
    const rows = card.details.rows;
    const withRows = (changed: typeof rows) =>
      shown({ card: { ...card, details: { ...card.details, rows: changed } } });
    expect(withRows(rows.slice(1))).toEqual({ code: "shown_differs", what: "card" });
    expect(withRows(rows.map((row, at) => (at === 3 ? { ...row, text: "less" } : row)))).toEqual({
      code: "shown_differs",
      what: "card",
    });
  });

  test("a request for another item than the text names is not signed", () => {
    expect(shown({ work_item_id: "task-2" })).toEqual({ code: "shown_differs", what: "item" });
  });

  test("a payload is read by its own kind, and a plan is no batch", () => {
    const { card } = shownRequest();
    expect(shown({ kind: "batch_review" })).toEqual({ code: "shown_differs", what: "spelling" });
    const gate = {
      context_digest: "cd".repeat(32),
      gate: "cost",
      scope_id: "owner",
      trigger: "on_tool_call",
      value: 12,
    };
    const projection = JSON.stringify(gate);
    const hash = sha256Hex(projection);
    const details = { ...card.details, rows: [...projectionRows(gate)] };
    const request = { kind: "gate_approval", work_item_id: "owner", projection, plan_hash: hash } as const;
    expect(shown({ ...request, card: { ...card, plan_hash: hash, details } })).toBe("shown");
  });
});

describe("what is minted", () => {
  test("a token that says what the page shows is signed as it is", () => {
    const judged = judgeMinted(signing, minted);
    expect(judged.ok && judged.value.map(({ tokenId }) => tokenId)).toEqual([token.token_id]);
  });

  test.each([
    ["plan_hash", { plan_hash: "00".repeat(32) }],
    ["work_item_id", { work_item_id: "task-2" }],
    ["scope", { scope: "single_step" }],
    ["verdict", { verdict: "conditional" }],
    ["key_id", { key_id: "cd".repeat(16) }],
    ["token_id", { token_id: "tok_other" }],
    ["token_id", { nonce: "5f".repeat(32) }],
    ["nonce", { nonce: "5e".repeat(31) }],
    ["max_executions", { max_executions: 2 }],
    ["expires_at", { expires_at: "2026-11-15T21:30:00.001Z" }],
    ["expires_at", { issued_at: "2026-11-15T20:59:59.999Z" }],
    ["conditions", { conditions: { friction: ["tap"] } }],
    ["conditions", { conditions: { friction: ["tap", "slide", "strong_auth"] } }],
    ["conditions", { conditions: { friction: ["tap", "slide"], hosts: ["*"] } }],
    ["conditions", { conditions: {} }],
  ] as const)("[KEY-06] another %s is not signed", (field, change) => {
    expect(said(change as Partial<UnsignedTokenBody>)).toEqual({ code: "token_differs", field });
  });

  test("a standing approval is not signed where the text says nothing of one", () => {
    const conditions = {
      friction: ["tap", "slide"],
      spawn_policy_hash: "cd".repeat(32),
      expires_at: "2027-01-01T00:00:00.000Z",
      max_executions: 40,
    };
    expect(said({ scope: "standing", conditions })).toEqual({ code: "token_differs", field: "scope" });
  });

  test("none, a second one, or one with a field nobody knows is not signed", () => {
    const judge = (tokens: readonly unknown[]) => judgeMinted(signing, { tokens, passkey: null });
    expect(judge([])).toMatchObject({ error: { field: "count" } });
    expect(judge([token, token])).toMatchObject({ error: { field: "count" } });
    expect(judge([{ ...token, also: "this" }])).toMatchObject({ ok: false });
    expect(judge([null])).toMatchObject({ ok: false });
  });

  test("a project is signed task by task, in its order, each bound to its own hash", () => {
    const { request, tokens } = mintedProject();
    const judge = (made: readonly unknown[]) => {
      const judged = judgeMinted({ ...signing, request }, { tokens: made, passkey: null });
      return judged.ok ? judged.value.map(({ workItemId }) => workItemId) : judged.error;
    };
    expect(judge(tokens)).toEqual(["project-1", "task-1", "task-2"]);
    expect(judge(tokens.slice(0, 2))).toMatchObject({ field: "count" });
    expect(judge([tokens[0], tokens[2], tokens[1]])).toMatchObject({ field: "plan_hash" });
    expect(
      judge([tokens[0], tokens[1], { ...tokens[2], nonce: tokens[1]?.nonce, token_id: tokens[1]?.token_id }]),
    ).toEqual({
      code: "token_differs",
      field: "challenge",
    });
    expect(judge([tokens[0], tokens[1], { ...tokens[2], max_executions: 2 }])).toMatchObject({
      field: "max_executions",
    });
  });

  test("an approval of another day is not signed, whatever its length", () => {
    const late = { ...signing, at: "2026-11-17T21:00:00.001Z" as Instant };
    expect(judgeMinted(late, minted)).toMatchObject({ error: { field: "issued_at" } });
  });

  test("[KEY-06] other terms are signed only where the card says so", () => {
    const longer = { ...token, max_executions: 3, expires_at: "2026-11-15T22:00:00.000Z" };
    const judge = (terms: ShownRequest["card"]["terms"]) => {
      const request = withTerms(shownRequest(), terms);
      return judgeMinted({ ...signing, request }, { tokens: [longer], passkey: null });
    };
    expect(judge({ max_executions: 3, valid_ms: 3_600_000 }).ok).toBe(true);
    expect(judge({ max_executions: 2, valid_ms: 3_600_000 })).toMatchObject({ error: { field: "max_executions" } });
    expect(judge({ max_executions: 3, valid_ms: 3_600_001 })).toMatchObject({ error: { field: "expires_at" } });
    expect(judge(undefined)).toEqual({ ok: false, error: { code: "shown_differs", what: "card" } });
  });

  test("[KEY-06] the words of a choice change nothing about the number of runs", () => {
    const { card } = shownRequest();
    const ctas = [{ action: "approve", role: "recommended", consequence_label: "Approve for 3 runs" } as const];
    const request = { ...shownRequest(), card: { ...card, ctas } };
    expect(judgeMinted({ ...signing, request }, minted).ok).toBe(true);
  });

  test("[KEY-06] a card that names several uses of what can be used once is not signed", () => {
    const gate = {
      context_digest: "cd".repeat(32),
      gate: "cost",
      scope_id: "owner",
      trigger: "on_tool_call",
      value: 1,
    };
    const asked = (uses: number) => {
      const projection = JSON.stringify(gate);
      const hash = sha256Hex(projection);
      const { card } = withTerms(shownRequest(), { max_executions: uses, valid_ms: 1_800_000 });
      const details = { ...card.details, rows: [...projectionRows(gate)] };
      const whole = { ...card, plan_hash: hash, details };
      const request = { ...shownRequest(), kind: "gate_approval", work_item_id: "owner", projection } as const;
      const made = { ...token, plan_hash: hash, work_item_id: "owner", scope: "single_step" as const };
      const shownAs = { ...request, plan_hash: hash, card: whole };
      return judgeMinted({ ...signing, request: shownAs }, { tokens: [made], passkey: null });
    };
    expect(asked(1).ok).toBe(true);
    expect(asked(2)).toEqual({ ok: false, error: { code: "shown_differs", what: "card" } });
  });

  test("a passkey is asked about exactly this token, and its use is under the signature", () => {
    expect(judgeMinted(signing, mintedWithPasskey).ok).toBe(true);
    expect(judgeMinted(signing, { ...mintedWithPasskey, passkey: null })).toMatchObject({
      error: { field: "conditions" },
    });
    expect(judgeMinted(signing, { ...mintedWithPasskey, passkey: { challenge: "AAAA" } })).toMatchObject({
      error: { field: "challenge" },
    });
  });
});

test("[CARD-16] an answer is signed as it stands in the form: another one, none, or one that nobody gave is refused", () => {
  const answer = { selected_value: "town", freetext: null, approved: true } as const;
  const withAnswer = (given: unknown, signedBy: typeof answer | undefined) => {
    const conditions = { ...(token.conditions as object), ...(given === undefined ? {} : { answer: given }) };
    const tokens = [{ ...token, conditions }];
    const judged = judgeMinted({ ...signing, answer: signedBy }, { ...minted, tokens });
    return judged.ok ? "signed" : judged.error;
  };
  const differs = { code: "token_differs", field: "conditions" };
  expect(withAnswer(answer, answer)).toBe("signed");
  expect(withAnswer({ ...answer, selected_value: "club" }, answer)).toEqual(differs);
  expect(withAnswer(undefined, answer)).toEqual(differs);
  expect(withAnswer(answer, undefined)).toEqual(differs);
});
