import { estimateTokens, renderBlock, type Instant, oneLine } from "#base";
import type { Taint, KeptMessage, LedgerEntry, MemoryItem, Turn } from "#model";
import { deriveTaint, scrubText, taintWithSources } from "#policy";

/** Parts of what a model is shown, in the order in which it is shown. [CTX-01] */
export const ZONES = ["system", "chronicle", "memory", "workspace"] as const;
type Zone = (typeof ZONES)[number];

/** One thing that a model is shown. It keeps the trust of where it came from for as long as it exists. [CTX-05] */
export type ContextItem = {
  readonly ctxId: string;
  readonly zone: Zone;
  readonly kind: "message" | "tool_result" | "memory" | "system";
  /** What stands in its head: where it is from, how old it is, how it stands. */
  readonly tag: string;
  readonly content: string;
  readonly taint: Taint;
  readonly createdAt: Instant;
  /** Who said it, of messages: the model itself, or anybody else. */
  readonly role?: "user" | "assistant";
};

/** Shares of the room that the system text leaves. */
type Shares = { readonly chroniclePct: number; readonly memoryPct: number; readonly workspacePct: number };
export type ContextSettings = {
  readonly totalTokens: number;
  readonly systemMax: number;
  readonly shares: Shares;
};
type ZoneBudgets = {
  readonly allocable: number;
  readonly chronicle: number;
  readonly memory: number;
  readonly workspace: number;
  readonly headroom: number;
};

/** How much of each zone fits, by how large the system text is now. [CTX-10] [CTX-11] [CTX-12] [CTX-13] */
export function zoneBudgets({ totalTokens, systemMax, shares }: ContextSettings, systemTokens: number): ZoneBudgets {
  const allocable = Math.max(totalTokens - Math.min(systemTokens, systemMax), 0);
  const chronicle = partOf(allocable, shares.chroniclePct);
  const memory = partOf(allocable, shares.memoryPct);
  const workspace = partOf(allocable, shares.workspacePct);
  return { allocable, chronicle, memory, workspace, headroom: allocable - chronicle - memory - workspace };
}

/** A share is written with a few decimals; what floating point adds to it is not counted. */
const partOf = (allocable: number, share: number): number => Math.floor((allocable * Math.round(share * 1e6)) / 1e6);

type Rendered = {
  /** The least trusted of all that is in it. */
  readonly taint: Taint;
  readonly shown: readonly ContextItem[];
  /** What did not fit, oldest first. */
  readonly leftOut: readonly ContextItem[];
};

/**
 * The items in their order: system, chronicle, memory, workspace. Of what does not fit the oldest stays out, and is named
 * to the owner; what is new is always the first to fit. [CTX-16]
 */
export function renderContext(items: readonly ContextItem[], settings: ContextSettings): Rendered {
  const systemTokens = sum(items.filter(({ zone }) => zone === "system"));
  const budgets = zoneBudgets(settings, systemTokens);
  const room: { readonly [Z in Zone]: number } = { ...budgets, system: Number.MAX_SAFE_INTEGER };
  const fitting = new Set(
    ZONES.flatMap((zone) =>
      newestThatFit(
        items.filter((item) => item.zone === zone),
        room[zone],
      ),
    ),
  );
  const shown = ZONES.flatMap((zone) => items.filter((item) => item.zone === zone && fitting.has(item)));
  return {
    taint: shown.length === 0 ? "owner" : deriveTaint(shown),
    shown,
    leftOut: items.filter((item) => !fitting.has(item)),
  };
}

const sum = (items: readonly ContextItem[]): number =>
  items.reduce((total, item) => total + estimateTokens(renderItem(item).length), 0);

function newestThatFit(items: readonly ContextItem[], room: number): readonly ContextItem[] {
  const fitting: ContextItem[] = [];
  let left = room;
  for (const item of items.toReversed()) {
    const tokens = estimateTokens(renderItem(item).length);
    if (tokens > left) break;
    left -= tokens;
    fitting.push(item);
  }
  return fitting;
}

/** No content ends its block or begins another. [CTX-17] */
export const renderItem = ({ tag, content }: Pick<ContextItem, "tag" | "content">): string =>
  renderBlock({ tag, content });

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
