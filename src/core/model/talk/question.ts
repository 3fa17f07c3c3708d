import type { Instant } from "#base";
import type { MessageOf } from "../bus/queue-message.ts";
import type { KeptMessage } from "../message/message.ts";
import { TAINTS, type Taint } from "../message/taint.ts";

type Kept = Pick<KeptMessage, "messageId" | "scopeId" | "taint" | "sources">;

/** Tells the turn runner of a message that was kept. The id follows from it, so that its turn is held once. [BUS-15] */
export const userMessageOf = (message: Kept, at: Instant): MessageOf<"user_message"> =>
  toTurn(message, { suffix: "", at });

/** Tells it once more, of a message that the owner let through after a gate had asked. */
export const letThroughOf = (message: Kept, at: Instant): MessageOf<"user_message"> =>
  toTurn(message, { suffix: ":let_through", at });

type Told = { readonly suffix: string; readonly at: Instant };

/** It names the message, whose words are loaded from the store, and is trusted as its least trusted part. */
const toTurn = ({ messageId, scopeId, taint, sources }: Kept, { suffix, at }: Told): MessageOf<"user_message"> => ({
  id: `user_message:${messageId}${suffix}`,
  kind: "user_message",
  sentBy: "user",
  scopeId,
  traceId: messageId,
  taint: leastTrusted([taint, ...sources.map((source) => source.taint)]),
  createdAt: at,
  payload: { messageId },
});

const leastTrusted = (taints: readonly Taint[]): Taint =>
  TAINTS[Math.max(...taints.map((taint) => TAINTS.indexOf(taint)))] ?? "external";
