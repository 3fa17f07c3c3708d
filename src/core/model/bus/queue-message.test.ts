import { describe, expect, test } from "vitest";
import type { Instant } from "#base";
import { adviceIdOf, consultMessage, replanIdOf } from "../consult/consult-message.ts";
import type { Consultation } from "../consult/consultation.ts";
import { letThroughOf, userMessageOf } from "../talk/turn.ts";
import { timerDueOf } from "../timer/timer.ts";
import type { RecordId } from "../values.ts";
import { decidedOf } from "./decided.ts";
import { KINDS, kindOfId, SENDERS, type MessageKind } from "./kinds.ts";
import {
  isSenderAllowed,
  orderKeyOf,
  parseQueueMessage,
  queueMessageText,
  queueMessageToWire,
  workItemOf,
  type QueueMessage,
} from "./queue-message.ts";

const MESSAGE_KINDS = Object.keys(KINDS) as readonly MessageKind[];

const AT = "2026-11-16T12:00:00.000Z" as Instant;
const LEAST = {
  message_id: "m1",
  message_kind: "user_message",
  sender: "user",
  scope_id: "owner",
  trace_id: "t1",
  taint: "external",
  created_at: AT,
  payload: { message_id: "said-1" },
};
const CONSULTED = { consultation_id: "c1", run_id: "r1", work_item_id: "w1" };
const DUE = { key: "goal:g1", owner: "goal", how: "run", due_at: AT, is_missed: false, skipped: null };

const problemOf = (body: unknown): string | null => {
  const parsed = parseQueueMessage(body);
  return parsed.ok ? null : parsed.error.code;
};
const without = (record: object, name: string): object =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));

describe("a queue message", () => {
  test("[BUS-01] [BUS-09] has exactly its fields: none may be missing, the taint included, and none may be added", () => {
    const parsed = parseQueueMessage(LEAST);
    expect(parsed).toMatchObject({
      value: { id: "m1", kind: "user_message", sentBy: "user", traceId: "t1", payload: { messageId: "said-1" } },
    });
    expect(parsed.ok && queueMessageToWire(parsed.value)).toEqual(LEAST);
    for (const name of Object.keys(LEAST)) expect(problemOf(without(LEAST, name)), name).toBe("message_malformed");
    for (const name of ["grants", "approval_token", "plan_markdown", "work_item"])
      expect(problemOf({ ...LEAST, [name]: "x" }), name).toBe("message_malformed");
    for (const body of [null, "m1", [], 1]) expect(problemOf(body)).toBe("message_malformed");
  });

  test.each([
    ["sender", "stranger", "message_malformed"],
    ["message_kind", "wake", "message_kind_unknown"],
    ["message_kind", "toString", "message_kind_unknown"],
    ["taint", "trusted", "message_malformed"],
    ["created_at", "today", "message_malformed"],
    ["message_id", "no spaces", "message_malformed"],
    ["message_id", "x".repeat(129), "message_malformed"],
    ["scope_id", "", "message_malformed"],
    ["payload", null, "message_malformed"],
  ])("has values of closed sets: %s is not %j", (field, value, code) => {
    expect(problemOf({ ...LEAST, [field]: value })).toBe(code);
  });

  test("[BUS-02] of each kind names records and carries nothing else", () => {
    const payloads = {
      user_message: { message_id: "said-1" },
      consult_planner: CONSULTED,
      replan_request: CONSULTED,
      decided: { request_id: "q1", kind: "plan_approval" },
      timer_due: DUE,
    } satisfies { readonly [K in MessageKind]: object };
    for (const [kind, payload] of Object.entries(payloads)) {
      const body = { ...LEAST, message_kind: kind, payload };
      const parsed = parseQueueMessage(body);
      expect(parsed.ok && queueMessageToWire(parsed.value)).toEqual(body);
      for (const name of Object.keys(payload))
        expect(problemOf({ ...body, payload: without(payload, name) }), `${kind} ${name}`).toBe("message_malformed");
      for (const name of ["approval_token", "plan_markdown", "version"])
        expect(problemOf({ ...body, payload: { ...payload, [name]: "x" } }), kind).toBe("message_malformed");
    }
  });

  test("is stored as the text that is read back, unless it is malformed", () => {
    const message = decidedOf({
      requestId: "request",
      kind: "plan_approval",
      at: AT,
      actor: { kind: "system" },
      run: { runId: "r", workItemId: "w" },
    });
    const text = queueMessageText(message);
    expect(text.ok && parseQueueMessage(JSON.parse(text.value))).toEqual({ ok: true, value: message });
    expect(queueMessageText({ ...message, id: "no spaces" })).toMatchObject({ error: { code: "message_malformed" } });
  });

  test.each([
    [
      "a decision",
      {
        ...LEAST,
        sender: "runtime",
        message_kind: "decided",
        payload: { request_id: "q1", kind: "plan_approval", run_id: "r1", work_item_id: "w1" },
      },
    ],
    ["a timer that is due", { ...LEAST, sender: "runtime", message_kind: "timer_due", payload: DUE }],
  ])("of %s has a text exactly when that text is read back, whatever is in its fields", (_what, body) => {
    const parsed = parseQueueMessage(body);
    if (!parsed.ok) throw new Error(parsed.error.code);
    const message = parsed.value;
    const odd = [
      "",
      "no spaces",
      "x".repeat(129),
      "today",
      AT,
      "user",
      "owner",
      "\ud800",
      "1",
      1,
      0.5,
      -1,
      null,
      {},
      [],
    ];
    const variants = [
      ...Object.keys(message).flatMap((key) =>
        key === "kind" || key === "payload" ? [] : odd.map((value) => ({ ...message, [key]: value })),
      ),
      ...[...Object.keys(message.payload), "more"].flatMap((key) =>
        [...odd, "done", true].map((value) => ({ ...message, payload: { ...message.payload, [key]: value } })),
      ),
    ] as readonly QueueMessage[];
    const isRead = (one: QueueMessage): boolean =>
      parseQueueMessage(JSON.parse(JSON.stringify(queueMessageToWire(one)))).ok;
    expect(variants.filter((one) => queueMessageText(one).ok !== isRead(one))).toEqual([]);
    expect(new Set(variants.map((one) => queueMessageText(one).ok))).toEqual(new Set([true, false]));
  });
});

test("[BUS-20] [BUS-21] each kind has its senders, and no other sender is allowed", () => {
  const allowed = MESSAGE_KINDS.flatMap((kind) =>
    SENDERS.filter((sentBy) => isSenderAllowed({ kind, sentBy })).map((sentBy) => `${sentBy} ${kind}`),
  );
  expect(allowed.toSorted()).toEqual([
    "runtime consult_planner",
    "runtime decided",
    "runtime replan_request",
    "runtime timer_due",
    "user user_message",
  ]);
});

test("[BUS-19] each kind goes to the inbox of one role", () => {
  expect(Object.fromEntries(MESSAGE_KINDS.map((kind) => [kind, KINDS[kind].queue]))).toEqual({
    user_message: "proxy_queue",
    consult_planner: "planner_queue",
    replan_request: "planner_queue",
    decided: "runtime_queue",
    timer_due: "runtime_queue",
  });
});

test("[BUS-13] the id of a message names its kind, also where the message cannot be read", () => {
  const kept = { messageId: "m1" as RecordId, scopeId: "owner", taint: "owner" as const, sources: [] };
  const due = { key: "goal:g1", owner: "goal", how: "run", dueAt: AT, isMissed: false, skipped: null } as const;
  const asked = { runId: "r1", workItemId: "w1", beganAt: AT } as Consultation;
  const made: readonly QueueMessage[] = [
    userMessageOf(kept, AT),
    letThroughOf(kept, AT),
    timerDueOf(due, AT),
    decidedOf({ requestId: "q1", kind: "plan_approval", at: AT, actor: { kind: "system" } }),
    consultMessage({ ...asked, kind: "advice", consultationId: adviceIdOf("r1", 1) }),
    consultMessage({ ...asked, kind: "replan", consultationId: replanIdOf("r1") }),
  ];
  expect(new Set(made.map(({ kind }) => kind))).toEqual(new Set(MESSAGE_KINDS));
  expect(made.map(({ id }) => kindOfId(id))).toEqual(made.map(({ kind }) => kind));
  for (const id of ["m1", "", ":m1", "wake:m1", "toString:m1", "decided"]) expect(kindOfId(id), id).toBeNull();
});

test("messages of a conversation wait behind each other, and so do those about one run; others do not", () => {
  const question = (messageId: string, scopeId: string) =>
    userMessageOf({ messageId: messageId as RecordId, scopeId, taint: "owner", sources: [] }, AT);
  const dispatch = (runId: string) =>
    decidedOf({
      requestId: "request",
      kind: "plan_approval",
      at: AT,
      actor: { kind: "system" },
      run: { runId, workItemId: "w" },
    });
  expect(orderKeyOf(question("a", "x"))).toBe(orderKeyOf(question("b", "x")));
  expect(orderKeyOf(question("a", "x"))).not.toBe(orderKeyOf(question("a", "y")));
  expect(orderKeyOf(dispatch("a"))).not.toBe(orderKeyOf(dispatch("b")));
  const consulted = (kind: string, run: string) => {
    const payload = { ...CONSULTED, run_id: run };
    const parsed = parseQueueMessage({ ...LEAST, sender: "runtime", message_kind: kind, payload });
    return parsed.ok ? orderKeyOf(parsed.value) : kind;
  };
  expect(consulted("consult_planner", "r1")).toBe(consulted("replan_request", "r1"));
  expect(consulted("consult_planner", "r1")).not.toBe(consulted("consult_planner", "r2"));
  expect([workItemOf(dispatch("a")), workItemOf(question("a", "x"))]).toEqual(["w", null]);
});
