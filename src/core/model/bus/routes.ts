/** Where messages wait: one queue for each role, and one for the runtime; whoever reads reads its own. [BUS-19] */
export const QUEUES = ["proxy_queue", "planner_queue", "executor_queue", "runtime_queue"] as const;
export type QueueName = (typeof QUEUES)[number];

export const SENDERS = ["user", "proxy", "planner", "executor", "runtime"] as const;
export type Sender = (typeof SENDERS)[number];

export const MESSAGE_KINDS = [
  "user_message",
  "plan_request",
  "plan_result",
  "research_request",
  "research_result",
  "execution_status",
  "consult_planner",
  "planner_guidance",
  "replan_request",
  "system_event",
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

type Route = readonly [sender: Sender, kind: MessageKind, queue: QueueName];

/** Who may say what to whom. Whatever is not here is refused and recorded, never delivered. [BUS-20] [BUS-21] */
export const ROUTES: readonly Route[] = [
  ["user", "user_message", "proxy_queue"],
  ["proxy", "plan_request", "planner_queue"],
  ["planner", "plan_result", "proxy_queue"],
  ["planner", "research_request", "executor_queue"],
  ["executor", "research_result", "planner_queue"],
  ["runtime", "execution_status", "proxy_queue"],
  ["runtime", "consult_planner", "planner_queue"],
  ["planner", "planner_guidance", "runtime_queue"],
  ["runtime", "replan_request", "planner_queue"],
  // Work that was approved, to whoever runs it.
  ["runtime", "system_event", "runtime_queue"],
];

export const isRouted = (
  said: { readonly sender: Sender; readonly messageKind: MessageKind },
  to: QueueName,
): boolean =>
  ROUTES.some(([sender, kind, queue]) => sender === said.sender && kind === said.messageKind && queue === to);
