import { oneLine } from "#base";
import type { SecretRefusal } from "../secret/secret-scan.ts";
import type { Words } from "../words.ts";
import type { MemoryItem } from "./memory.ts";

/** Why nothing was kept, changed or forgotten. */
export type MemoryRefusal =
  | { readonly code: "memory_unknown"; readonly memoryId: string }
  /** The same words are kept in this scope already. */
  | { readonly code: "memory_duplicate"; readonly memoryId: string }
  /** Standing rules are those of the configuration; nothing that comes in makes, changes or removes one. [MEM-07] */
  | { readonly code: "memory_constitutional" }
  /** Verified memories are the owner's alone to change. [MEM-06] */
  | { readonly code: "memory_verified"; readonly memoryId: string }
  /** It is verified already. */
  | { readonly code: "memory_trusted"; readonly memoryId: string }
  | SecretRefusal
  | { readonly code: "memory_too_long"; readonly chars: number; readonly max: number };

type Table = {
  readonly [C in Exclude<MemoryRefusal, SecretRefusal>["code"]]: (
    error: Extract<MemoryRefusal, { readonly code: C }>,
  ) => Words;
};

const refused = (what: string, next: string): Words => ({ what, kept: "Nothing was changed.", next });
const LIST = "`silas memory list` shows what there is.";

export const MEMORY_WORDS: Table = {
  memory_unknown: ({ memoryId }) => refused(`There is no memory ${oneLine(memoryId)} here.`, LIST),
  memory_duplicate: ({ memoryId }) =>
    refused(
      `These words are kept already, as ${oneLine(memoryId)}.`,
      `\`silas memory show ${oneLine(memoryId)}\` shows it.`,
    ),
  memory_constitutional: () =>
    refused(
      "Standing rules are not made, changed or forgotten while Silas works.",
      "They are `personality.constitution` of the configuration; change them there and start Silas again.",
    ),
  memory_verified: ({ memoryId }) =>
    refused(`The memory ${oneLine(memoryId)} is verified, so only you change or forget it.`, LIST),
  memory_trusted: ({ memoryId }) =>
    refused(`The memory ${oneLine(memoryId)} is verified already.`, "There is nothing to promote."),
  memory_too_long: ({ chars, max }) =>
    refused(
      `Made harmless, this has ${chars} characters; a memory has at most ${max}.`,
      "Keep what matters of it, in your own words.",
    ),
};

/** How far a memory is trusted, for people. */
export function memoryTrustWords({ trustLevel, taint }: Pick<MemoryItem, "trustLevel" | "taint">): string {
  if (trustLevel === "constitutional") return "standing rule";
  if (trustLevel === "verified") return "verified by you";
  return TAINT_WORDS[taint];
}
const TAINT_WORDS = { owner: "your signed words", auth: "yours, not signed", external: "from outside" } as const;
