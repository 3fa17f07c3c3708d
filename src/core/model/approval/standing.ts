import * as z from "zod/mini";
import { parseInstant } from "#base";

/** How often and how long a goal may have a repairing task begun on one approval: shown, hashed and signed. */
export const standingTermsSchema = z.strictObject({
  max_executions: z.int().check(z.gte(1), z.lte(100_000)),
  expires_at: z.string().check(z.refine(isExactInstant, "invalid_instant")),
});
export type StandingTerms = Readonly<z.infer<typeof standingTermsSchema>>;

function isExactInstant(text: string): boolean {
  const parsed = parseInstant(text);
  return parsed.ok && parsed.value === text;
}
