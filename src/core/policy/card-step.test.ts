import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import { grantsOf, parsePayload, payloadProjection, type Payload } from "#model";
import { cardForPayload } from "./card-payload.ts";

type Question = Extract<Payload, { readonly kind: "step_approval" }>;
const QUESTION: Question = {
  kind: "step_approval",
  operation_id: "run-1.0a",
  run_id: "run-1",
  plan_request_id: "request-1",
  plan_id: "task-pay",
  plan_hash: sha256Hex("plan"),
  attempt: 1,
  step: 2,
  step_name: "pay",
  tool: "shell_exec",
  args: { argv: ["pay", "120"] },
  asked_by: [{ gate: "cap", value: 120, reason: "The value is in the range that you decide on" }],
};
const asking = (value: unknown) => JSON.stringify({ ...QUESTION, asked_by: [{ ...QUESTION.asked_by[0], value }] });

test("[FLOW-16] a gate asks about a number or a text, and the card has two answers: it runs, or it is blocked", () => {
  for (const value of [120, -0.5, "rent", "", null]) {
    const read = parsePayload(asking(value));
    if (!read.ok) throw new Error(read.error.reason);
    const card = cardForPayload(read.value, { strongAuth: "unavailable" });
    if (!card.ok) throw new Error(card.error.reason);
    expect(card.value.ctas.map(({ action, consequenceLabel }) => [action, consequenceLabel])).toEqual([
      ["approve", "Approve: run step 2 once"],
      ["decline", "Block: step 2 does not run, and its run ends"],
    ]);
    const rows = new Map(card.value.details.rows.map(({ path, text }) => [path, text]));
    expect(rows.get("/asked_by/0/value")).toBe(value === null ? "" : String(value));
    expect(rows.get("/asked_by/0/gate")).toBe("cap");
    expect([rows.get("/args/argv/0"), rows.get("/args/argv/1")]).toEqual(["pay", "120"]);
  }
  for (const value of [true, [1], { most: 1 }, undefined]) expect(parsePayload(asking(value)).ok).toBe(false);
});

test("the card says which gate asks about what, in the words of Silas, however long names are", () => {
  const card = cardForPayload(QUESTION, { strongAuth: "unavailable" });
  expect(card).toMatchObject({
    value: {
      intent: "Let step 2 run: pay",
      riskLevel: "medium",
      friction: ["tap", "confirm"],
      rationale:
        "Gate cap asks you about 120: The value is in the range that you decide on. Exactly this call would begin, once. Otherwise its run ends before it.",
    },
  });
  const asked_by = [{ gate: "g".repeat(80), value: "x", reason: "r".repeat(500) }];
  const long = cardForPayload({ ...QUESTION, step_name: "n".repeat(160), asked_by }, { strongAuth: "unavailable" });
  expect(long.ok && [long.value.intent.length <= 80, long.value.rationale.length <= 500]).toEqual([true, true]);
});

test("its one token is for this operation and these arguments, whatever else is the same", () => {
  const grantOf = (question: Question) => grantsOf({ kind: "step_approval", projection: payloadProjection(question) });
  const [own, ...others] = grantOf(QUESTION) ?? [];
  expect(others).toEqual([]);
  expect(own).toMatchObject({ scope: "single_step", workItemId: "run-1.0a", operationId: "run-1.0a", usesMax: 1 });
  for (const other of [
    { ...QUESTION, args: { argv: ["pay", "121"] } },
    { ...QUESTION, args: { argv: ["pay", "120", ""] } },
    { ...QUESTION, tool: "python_exec" },
    { ...QUESTION, step: 3 },
    { ...QUESTION, attempt: 2 },
    { ...QUESTION, operation_id: "run-1.0b" },
    { ...QUESTION, asked_by: [{ gate: "cap", value: "120", reason: "other" }] },
  ]) {
    expect(grantOf(other)?.[0]?.planHash).not.toBe(own?.planHash);
  }
});
