import { describe, expect, test } from "vitest";
import type { Instant } from "#base";
import { dispatchOf } from "./dispatch.ts";
import { parseQueueMessage, queueMessageText, queueMessageToWire, type QueueMessage } from "./queue-message.ts";
import { isRouted, MESSAGE_KINDS, QUEUES, ROUTES, SENDERS } from "./routes.ts";

const AT = "2026-11-16T12:00:00.000Z" as Instant;
const LEAST = {
  message_id: "m1",
  trace_id: "t1",
  content: "hello",
  sender: "user",
  message_kind: "user_message",
  scope_id: "owner",
  taint: "external",
  created_at: AT,
};
const STATUS = { ...LEAST, sender: "runtime", message_kind: "execution_status" };
const HEADERS = { error_code: "timeout", retryable: true, origin_agent: "executor", attempt_number: 2 };
const ERROR = { ...HEADERS, detail: "took too long" };

const problemOf = (body: object): string | null => {
  const parsed = parseQueueMessage(body);
  return parsed.ok ? null : parsed.error.code;
};

describe("a queue message", () => {
  test("[BUS-01] [BUS-09] is its fields and nothing else; only what is optional may be left out, and taint is not", () => {
    const whole = {
      ...LEAST,
      task_id: "task",
      parent_task_id: "project",
      work_item: { id: "task" },
      plan_markdown: "# Plan",
      approval_token: { token_id: "tok" },
      artifacts: { page: "x" },
      constraints: { return_format: "list", max_tokens: 9, tools_allowed: [] },
      payload: { any: [1, { thing: null }] },
      origin_agent: "proxy",
      attempt_number: 1,
      urgency: "needs_attention",
    };
    const parsed = parseQueueMessage(whole);
    expect(parsed.ok && queueMessageToWire(parsed.value)).toEqual(whole);
    expect(parseQueueMessage(LEAST)).toMatchObject({
      value: { urgency: "informational", taskId: null, payload: null },
    });
    for (const name of Object.keys(LEAST)) {
      const { [name as keyof typeof LEAST]: _gone, ...rest } = LEAST;
      expect(problemOf(rest), name).toBe("message_malformed");
    }
    expect(problemOf({ ...LEAST, grants: true })).toBe("message_malformed");
    expect(parseQueueMessage({ ...LEAST, constraints: { return_format: "list" } })).toMatchObject({
      value: { constraints: { max_tokens: 500, tools_allowed: ["web_search", "read_file", "memory_search"] } },
    });
  });

  test.each([
    ["sender", "stranger"],
    ["message_kind", "wake"],
    ["taint", "trusted"],
    ["urgency", "now"],
    ["origin_agent", "user"],
    ["error_code", "unknown"],
    ["created_at", "today"],
    ["message_id", "no spaces"],
  ])("has values of closed sets: %s is not %s", (field, value) => {
    expect(problemOf({ ...LEAST, [field]: value })).toBe("message_malformed");
  });

  test("[BUS-03] [BUS-05] about how work stands has a status among its payload, of the statuses there are", () => {
    expect(problemOf(STATUS)).toBe("status_payload_missing");
    expect(problemOf({ ...STATUS, payload: { status: "sleeping" } })).toBe("status_payload_missing");
    expect(problemOf({ ...STATUS, payload: { status: "done", more: 1 } })).toBe("status_payload_missing");
    for (const status of ["running", "done"]) expect(problemOf({ ...STATUS, payload: { status } })).toBeNull();
    const full = {
      status: "running",
      detail: "x",
      attempt_number: 1,
      budget_remaining_tokens: 5,
      budget_remaining_usd: 0.5,
    };
    expect(problemOf({ ...STATUS, payload: full })).toBeNull();
  });

  test("[BUS-07] that tells of an error says which, whose, which attempt and whether it is worth another", () => {
    for (const status of ["failed", "stuck", "blocked", "verification_failed"]) {
      expect(problemOf({ ...STATUS, payload: { status } }), status).toBe("error_headers_missing");
      expect(problemOf({ ...STATUS, ...HEADERS, payload: { status } }), status).toBeNull();
      for (const name of Object.keys(HEADERS)) {
        const { [name as keyof typeof HEADERS]: _gone, ...rest } = HEADERS;
        expect(problemOf({ ...STATUS, ...rest, payload: { status } }), name).toBe("error_headers_missing");
      }
    }
  });

  test("[BUS-04] [BUS-06] of another kind tells of an error by a whole error, which the headers agree with", () => {
    expect(problemOf({ ...LEAST, ...HEADERS })).toBe("error_payload_missing");
    expect(problemOf({ ...LEAST, ...HEADERS, payload: HEADERS })).toBe("error_payload_missing");
    expect(problemOf({ ...LEAST, payload: ERROR })).toBe("error_headers_missing");
    expect(problemOf({ ...LEAST, ...HEADERS, payload: ERROR })).toBeNull();
    for (const [name, other] of Object.entries({ error_code: "gate_blocked", retryable: false, attempt_number: 3 })) {
      expect(problemOf({ ...LEAST, ...HEADERS, payload: { ...ERROR, [name]: other } }), name).toBe(
        "error_headers_differ",
      );
    }
    expect(problemOf({ ...LEAST, ...HEADERS, payload: { ...ERROR, origin_agent: "user" } })).toBe(
      "error_payload_missing",
    );
  });

  test("that is too large is not sent", () => {
    const message = dispatchOf({ runId: "r", workItemId: "w", at: AT, actor: { kind: "system" } });
    const large: QueueMessage = { ...message, artifacts: { text: "x".repeat(1_100_000) } };
    expect(queueMessageText(large)).toMatchObject({ error: { code: "message_too_large" } });
    expect(queueMessageText(message).ok).toBe(true);
  });
});

test("there are ten routes: the nine between the roles, and that of approved work to whoever runs it", () => {
  const all = SENDERS.flatMap((sender) =>
    MESSAGE_KINDS.flatMap((messageKind) => QUEUES.map((queue) => ({ sender, messageKind, queue }))),
  );
  const routed = all.filter(({ queue, ...said }) => isRouted(said, queue));
  expect(routed).toHaveLength(10);
  expect(ROUTES).toHaveLength(10);
  expect(routed.map(({ sender, messageKind, queue }) => `${sender} ${messageKind} ${queue}`).toSorted()).toEqual([
    "executor research_result planner_queue",
    "planner plan_result proxy_queue",
    "planner planner_guidance runtime_queue",
    "planner research_request executor_queue",
    "proxy plan_request planner_queue",
    "runtime consult_planner planner_queue",
    "runtime execution_status proxy_queue",
    "runtime replan_request planner_queue",
    "runtime system_event runtime_queue",
    "user user_message proxy_queue",
  ]);
});
