import * as z from "zod/mini";
import { taintSchema } from "../message/taint.ts";
import { digest, id } from "../values.ts";

const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const count = z.int().check(z.gte(0));

/** How a memory stands from here on; never its words, so that what is forgotten is not told here. */
const standing = { memory_id: id, scope_id: id, taint: taintSchema, trust: z.enum(["working", "constitutional"]) };

/** What the audit chain says about memories: where they came from and what became of them. [AUD-08] */
export const memoryAuditSchemas = {
  memory_stored: z.strictObject({ ...standing, source: code }),
  memory_changed: z.strictObject(standing),
  /** The owner's signed decision to trust exactly these words. */
  memory_promoted: z.strictObject({ memory_id: id, token_id: id, item_digest: digest }),
  memory_forgotten: z.strictObject({ memory_id: id }),
  memory_exported: z.strictObject({ items: count }),
} as const;

type MemoryEvent = keyof typeof memoryAuditSchemas;
type Sentences = { readonly [E in MemoryEvent]: (data: z.infer<(typeof memoryAuditSchemas)[E]>) => string };

const short = (memoryId: string): string => memoryId.slice(-8);
const FROM: Readonly<Record<string, string>> = {
  owner_entry: "that you gave",
  foreign_entry: "of words from outside",
  message: "of a message",
  configuration: "as a standing rule of the configuration",
};

export const memorySentences: Sentences = {
  memory_stored: ({ memory_id, source }) => `Kept a memory ${FROM[source] ?? ""} (${short(memory_id)})`,
  memory_changed: ({ memory_id }) => `Changed the memory ${short(memory_id)}`,
  memory_promoted: ({ memory_id }) => `You verified the memory ${short(memory_id)}`,
  memory_forgotten: ({ memory_id }) => `Forgot the memory ${short(memory_id)}`,
  memory_exported: ({ items }) => `Exported ${items === 1 ? "1 memory" : `${items} memories`}`,
};
