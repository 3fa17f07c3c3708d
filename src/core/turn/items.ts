import { oneLine } from "#base";
import type { KeptMessage, LedgerEntry, MemoryItem, Turn } from "#model";
import { scrubText, taintWithSources } from "#policy";
import type { ContextItem } from "./context.ts";

type Spoken = { readonly message: KeptMessage; readonly turnNumber: number };

/** What somebody said, as it is kept: through the gates already, and with what it brings along in its trust. [CTX-18] */
export function messageItem({ message, turnNumber }: Spoken): ContextItem {
  const taint = taintWithSources(message.taint, message.sources);
  const who = taint === "owner" || message.origin === "identity" ? "user" : "somebody else";
  return {
    ctxId: message.messageId,
    zone: "chronicle",
    kind: "message",
    tag: `turn ${turnNumber} | ${who} | live`,
    content: `[${taint}] ${message.senderId}: ${inside(message)}`,
    taint,
    createdAt: message.receivedAt,
  };
}

/** Text that is not the owner's own was made harmless when it came; it is again, in case it is older than that. */
const inside = ({ text, taint }: KeptMessage): string => (taint === "external" ? scrubText(text).text : text);

/** What Silas said before. It was made of what the model was shown then, and is trusted no further. */
export function replyItem({ messageId, turnNumber, reply, taint, beganAt }: Turn): ContextItem | null {
  if (reply === null || taint === null) return null;
  return {
    ctxId: `reply:${messageId}`,
    zone: "chronicle",
    kind: "message",
    tag: `turn ${turnNumber} | silas | live`,
    content: taint === "external" ? scrubText(reply).text : reply,
    role: "assistant",
    taint,
    createdAt: beganAt,
  };
}

/** What is remembered, with how far it is trusted; of another scope there is nothing here. [RETR-08] */
export function memoryItem({ memoryId, content, taint, trustLevel, updatedAt }: MemoryItem): ContextItem {
  return {
    ctxId: memoryId,
    zone: "memory",
    kind: "memory",
    tag: `memory | ${updatedAt.slice(0, 10)} | ${trustLevel}`,
    content: `[${taint}] ${taint === "external" ? scrubText(content).text : content}`,
    taint,
    createdAt: updatedAt,
  };
}

/**
 * What a model may be told of a step: what it printed, and how it ended. INVARIANT: nothing else of a result is a part of
 * it. Whatever Silas keeps for itself about a step never gets here. [TAINT-04]
 */
type ShownStep = Pick<LedgerEntry, "executionId" | "stepName" | "success" | "returnValue" | "startedAt"> & {
  readonly workItemId: string;
  /** How the work stands: done, stuck and so on. */
  readonly status: string;
};

/** A result of a run: from outside whatever printed it, and made harmless before it is shown. [TAINT-03] */
export function stepItem(step: ShownStep): ContextItem {
  const ended = step.success === true ? "succeeded" : step.success === false ? "failed" : "unknown";
  const head = `work ${step.workItemId} (${step.status}), step "${oneLine(step.stepName)}" ${ended}`;
  return {
    ctxId: step.executionId,
    zone: "workspace",
    kind: "tool_result",
    tag: `tool_result | ${step.startedAt} | ${ended}`,
    content: scrubText(`${head}\n${step.returnValue}`).text,
    taint: "external",
    createdAt: step.startedAt,
  };
}
