import type { Instant } from "#base";
import type { MessageOf } from "../bus/queue-message.ts";
import type { KeptMessage } from "../message/message.ts";

/** The id follows from the message, so that a message is answered once, however often it is sent. [BUS-15] */
const questionIdOf = (messageId: string): string => `user_message:${messageId}`;

/** Tells the turn runner that a message was accepted. It names the message, whose words are loaded from the store. */
export const questionOf = (
  { messageId, scopeId, taint }: Pick<KeptMessage, "messageId" | "scopeId" | "taint">,
  at: Instant,
): MessageOf<"user_message"> => ({
  id: questionIdOf(messageId),
  kind: "user_message",
  sentBy: "user",
  scopeId,
  traceId: messageId,
  taint,
  createdAt: at,
  payload: { messageId },
});
