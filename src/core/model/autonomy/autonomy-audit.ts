import * as z from "zod/mini";
import { LIMIT_WORDS } from "./families.ts";
import { LIMIT_KEYS } from "./limits.ts";
import { id } from "../values.ts";

const value = z.string().check(z.regex(/^[A-Za-z0-9.]{1,32}$/));

/** What the audit chain says about limits of autonomy besides their approval. */
export const autonomyAuditSchemas = {
  /** One for each limit, by the commit that uses the approval: all of a proposal are there or none. [AUTO-15] */
  limit_changed: z.strictObject({
    request_id: id,
    token_id: id,
    key: z.enum(LIMIT_KEYS),
    from: value,
    to: value,
    /** What the configuration said at that moment. */
    configured: value,
    direction: z.enum(["widen", "tighten"]),
  }),
} as const;

type Event = keyof typeof autonomyAuditSchemas;
type Sentences = { readonly [E in Event]: (data: z.infer<(typeof autonomyAuditSchemas)[E]>) => string };

export const autonomySentences: Sentences = {
  limit_changed: ({ key, from, to, direction }) =>
    `${direction === "widen" ? "Widened" : "Tightened"} ${LIMIT_WORDS[key]}, from ${from} to ${to}, as you approved`,
};
