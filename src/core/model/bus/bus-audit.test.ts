import { expect, test } from "vitest";
import { activitySentence } from "../audit-words.ts";
import { DEAD_REASONS, deadWords } from "./bus-audit.ts";

test("Activity says of a message that was set aside which work did not begin, and why", () => {
  const data = {
    message_id: "m",
    queue: "runtime_queue",
    work_item_id: "task-1",
    deliveries: 5,
    reason: "lease_expired",
  };
  expect(activitySentence({ event: "message_dead", data }, (id) => `"${id}"`)).toBe(
    'Could not begin "task-1": whoever took it was not heard of again, 5 times',
  );
  expect(activitySentence({ event: "message_dead", data: { ...data, work_item_id: null, deliveries: 1 } })).toBe(
    "Could not begin something that was granted: whoever took it was not heard of again",
  );
  const question = { ...data, queue: "proxy_queue", work_item_id: null, deliveries: 1 };
  expect(activitySentence({ event: "message_dead", data: question })).toBe(
    "Could not answer a message: whoever took it was not heard of again",
  );
  for (const reason of DEAD_REASONS) expect(deadWords({ reason, deliveries: 1 })).not.toContain("_");
});

test.each([
  ["user_message:m1", null, "Could not answer a message"],
  ["consult_planner:run-1:2", "task-1", 'Could not ask the planner for advice about "task-1"'],
  ["consult_planner:run-1:2", null, "Could not ask the planner for advice"],
  ["replan_request:run-1", "task-1", 'Could not ask the planner for another way for "task-1"'],
  ["decided:run-1", "task-1", 'Could not begin "task-1"'],
  ["decided:request-1", null, "Could not carry out a decision"],
  ["timer_due:0a1b", "goal:page", 'Could not act on the timer "goal:page"'],
  ["timer_due:0a1b", null, "Could not act on a timer"],
  ["execution_status:1", null, "Could not begin something that was granted"],
] as const)("[BUS-13] Activity says of the dead message %s about %j what did not happen", (id, item, words) => {
  const data = { message_id: id, queue: "runtime_queue", work_item_id: item, deliveries: 1, reason: "unreadable" };
  expect(activitySentence({ event: "message_dead", data }, (name) => `"${name}"`)).toBe(
    `${words}: the message about it cannot be read`,
  );
});

test("Activity says of a message that no route allows whose it was", () => {
  const data = { message_id: "m", sender: "planner", message_kind: "user_message", queue: "runtime_queue" };
  expect(activitySentence({ event: "message_unrouted", data })).toBe(
    "Refused a message (user_message) of planner to runtime_queue: no route allows it",
  );
});
