import { assert, parseStrictJson } from "#base";
import { keptMessageFromWire, keptMessageToWire, type KeptMessage } from "#model";
import type { SqlParams } from "../sqlite.ts";

/** Rows of `messages` as the values of `#model`, and back. */

export type MessageRow = {
  readonly [column: string]: string | null;
};

const DOCUMENTS = new Set(["signed", "scrubbed", "sources", "gate"]);

/** A row with what was decided about it since; a message that is no message any more is not shown with parts missing. */
export function messageOf({ token_id: tokenId, endorsed_at: at, ...row }: MessageRow): KeptMessage {
  const fields = Object.entries(row).map(([name, value]) => [name, DOCUMENTS.has(name) ? jsonOf(value) : value]);
  const message = keptMessageFromWire({
    ...Object.fromEntries(fields),
    endorsed: tokenId === null ? null : { token_id: tokenId, at },
    ...(tokenId === null ? {} : { taint: "owner" }),
  });
  assert(message !== null, "MSG-01 a kept message is whole");
  return message;
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
