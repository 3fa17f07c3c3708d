import type { Instant } from "#base";
import type { QueueMessage } from "../bus/queue-message.ts";
import type { KeptMessage } from "../message/message.ts";

/** The id follows from the message, so that a message is answered once however often somebody says so. [BUS-15] */
const questionIdOf = (messageId: string): string => `user_message:${messageId}`;

/** The message that a question on the queue is about; null when it is about something else. */
export function askedMessage({ messageKind, payload }: Pick<QueueMessage, "messageKind" | "payload">): string | null {
  const messageId = payload?.["message_id"];
  return messageKind === "user_message" && typeof messageId === "string" ? messageId : null;
}

/** What tells whoever answers that a message was accepted. It names the message, whose words are read where they are kept. */
export const questionOf = (
  { messageId, scopeId, taint }: Pick<KeptMessage, "messageId" | "scopeId" | "taint">,
  at: Instant,
): QueueMessage => ({
  messageId: questionIdOf(messageId),
  traceId: messageId,
  content: "",
  sender: "user",
  messageKind: "user_message",
  scopeId,
  taint,
  taskId: null,
  parentTaskId: null,
  workItem: null,
  planMarkdown: null,
  approvalToken: null,
  artifacts: null,
  constraints: null,
  payload: { message_id: messageId },
  errorCode: null,
  retryable: null,
  originAgent: null,
  attemptNumber: null,
  urgency: "needs_attention",
  createdAt: at,
});
