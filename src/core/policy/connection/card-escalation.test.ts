import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import { answerFault, payloadProjection, readPayload, type Payload } from "#model";
import { cardForPayload } from "../card-payload.ts";

type Escalation = Extract<Payload, { readonly kind: "permission_escalation" }>;

const REASON = "Step 2, add, runs scripts/add.mjs, which uses notes.write";
const asked = (over: Partial<Escalation> = {}): Escalation => ({
  kind: "permission_escalation",
  operation_id: "run-1.0011223344556677",
  run_id: "run-1",
  plan_request_id: "request-1",
  plan_id: "task-1",
  plan_hash: sha256Hex("plan"),
  attempt: 1,
  step: 2,
  step_name: "add",
  tool: "node_exec",
  args: { skill: "notes", file: "scripts/add.mjs" },
  asked_by: [{ gate: "connection_permission", value: null, reason: REASON }],
  connection_id: "conn-0123456789abcdef",
  connection_name: "Notes of Ada",
  skill: "notes",
  tree_digest: sha256Hex("notes"),
  current_permissions: ["notes.read"],
  requested_permissions: ["notes.write"],
  reason: REASON,
  may_be_once: true,
  ...over,
});
const cardOf = (over: Partial<Escalation> = {}) => {
  const card = cardForPayload(asked(over), { strongAuth: "unavailable" });
  if (!card.ok) throw new Error(card.error.reason);
  return card.value;
};

test("[PERM-03] [FLOW-20] more of the same is a medium risk, anything else a high one, whoever asks", () => {
  const risks: readonly (readonly [string[], string[], string])[] = [
    [["notes.read"], ["notes.write"], "medium"],
    [["Mail.Read", "Calendar.Read"], ["mail.ReadWrite", "Calendar.ReadWrite"], "medium"],
    [["repo:issues:read"], ["repo:issues:write"], "medium"],
    [["notes.read"], ["tasks.read"], "high"],
    [["notes.read"], ["notes.write", "tasks.read"], "high"],
    [["repo:issues:read"], ["repo:code:write"], "high"],
    [["profile"], ["repo"], "high"],
    [[], ["notes.read"], "high"],
  ];
  for (const [current_permissions, requested_permissions, risk] of risks)
    expect(cardOf({ current_permissions, requested_permissions }).riskLevel).toBe(risk);
});

test("[CARD-09] the card carries what is needed to decide, and offers once only where that is possible", () => {
  const { details, ctas, intent } = cardOf();
  const rows = new Map(details.rows.map(({ path, text }) => [path, text]));
  expect(intent).toBe("Let Notes of Ada do more: notes.write");
  expect(rows.get("/connection_name")).toBe("Notes of Ada");
  expect(rows.get("/current_permissions/0")).toBe("notes.read");
  expect(rows.get("/requested_permissions/0")).toBe("notes.write");
  expect(rows.get("/reason")).toBe(REASON);
  expect(ctas.map(({ action, role }) => [action, role])).toEqual([
    ["approve", "recommended"],
    ["approve_once", "safe"],
    ["decline", "decline"],
  ]);
  expect(ctas.map(({ consequenceLabel }) => consequenceLabel)).toEqual([
    "Approve for good: sign in again",
    "Just this once: nothing of it stays",
    "Deny: the run ends before step 2",
  ]);
  expect(cardOf({ may_be_once: false }).ctas.map(({ action }) => action)).toEqual(["approve", "decline"]);
});

test("[PERM-05] once is an answer of its own, and none where it was not offered", () => {
  const faultOf = (answer: unknown, over: Partial<Escalation> = {}) => {
    const read = readPayload("permission_escalation", payloadProjection(asked(over)));
    if (!read.ok) throw new Error(read.error.reason);
    return answerFault({ payload: read.value.payload, answer });
  };
  expect(faultOf(undefined)).toBeNull();
  expect(faultOf({ duration: "once" })).toBeNull();
  expect(faultOf({ duration: "once" }, { may_be_once: false })).toBe("option_unknown");
  expect(faultOf({ duration: "always" })).toBe("answer_unreadable");
  expect(faultOf({ selected_value: null, freetext: null, approved: true })).toBe("answer_unreadable");
});
