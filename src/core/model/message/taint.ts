import * as z from "zod/mini";

/** Where something came from, most trusted first. It has no default anywhere: who keeps a thing must say it. */
export const TAINTS = ["owner", "auth", "external"] as const;
export type Taint = (typeof TAINTS)[number];
export const taintSchema = z.enum(TAINTS);

/** What something was made of: the item, how it came in, and how far it was trusted at that moment. */
const SOURCE_RELATIONS = ["reply_to", "quote", "attachment", "suggestion"] as const;
export const sourceSchema = z.strictObject({
  item_id: z.string(),
  relation: z.enum(SOURCE_RELATIONS),
  taint: taintSchema,
});
export type Source = z.infer<typeof sourceSchema>;
