import { estimateTokens, renderBlock, type Instant } from "#base";
import type { Taint } from "#model";
import { deriveTaint } from "#policy";

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
  readonly text: string;
  /** The least trusted of all that is in it. */
  readonly taint: Taint;
  readonly shown: readonly ContextItem[];
  /** What did not fit, oldest first. */
  readonly leftOut: readonly ContextItem[];
};

/**
 * The items as one text: system, chronicle, memory, workspace. Of what does not fit the oldest stays out, and is named
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
    text: shown.map(renderItem).join("\n"),
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
