import { parseStrictJson } from "#base";
import { keptMessageFromWire, keptMessageToWire, TAINTS, type KeptMessage, type Taint } from "#model";
import type { SqlParams } from "../sqlite.ts";
import { whole } from "../store-fault.ts";

/** Rows of `messages` as the values of `#model`, and back. */

export type MessageRow = {
  readonly [column: string]: string | null;
};

const DOCUMENTS = new Set(["signed", "scrubbed", "sources", "gate"]);

/**
 * A row with what was decided about it since; a message that is no message any more is not shown with parts missing. It
 * is trusted as far as row and chain both say, and a decision about it counts if the chain tells of it. [T15]
 */
export function messageOf(found: MessageRow): KeptMessage {
  const { token_id: tokenId, endorsed_at: at, told_taint: told, told_token_id: toldTokenId, ...row } = found;
  const fields = Object.entries(row).map(([name, value]) => [name, DOCUMENTS.has(name) ? jsonOf(value) : value]);
  const isEndorsed = tokenId !== null && tokenId === toldTokenId;
  const message = keptMessageFromWire({
    ...Object.fromEntries(fields),
    endorsed: isEndorsed ? { token_id: tokenId, at } : null,
    taint: isEndorsed ? "owner" : lessTrusted(row["taint"] ?? null, told ?? null),
  });
  return whole(message, "MSG-01 a kept message is whole");
}

/** What one of them does not know is external. */
function lessTrusted(...taints: readonly (string | null)[]): Taint {
  const ranks = taints.map((taint) => TAINTS.findIndex((one) => one === taint));
  return ranks.includes(-1) ? "external" : (TAINTS[Math.max(...ranks)] ?? "external");
}

export function messageParams(message: KeptMessage): SqlParams {
  const { endorsed: _endorsed, signed, scrubbed, sources, gate, ...plain } = keptMessageToWire(message);
  return {
    ...plain,
    signed: textOf(signed),
    scrubbed: textOf(scrubbed),
    sources: textOf(sources),
    gate: textOf(gate),
  };
}

const textOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function jsonOf(text: string | null): unknown {
  if (text === null) return null;
  const parsed = parseStrictJson(text);
  return parsed.ok ? parsed.value : undefined;
}
