import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "../approval/fields.ts";
import { CARD_INTENT_CHARS, CTA_ROLES, RISK_LEVELS } from "../cards.ts";
import { FAILURE_TYPES, recoveryOptionSchema } from "./connection-failure.ts";
import { minLength } from "../values.ts";

const cta = z.strictObject({
  action: z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/)),
  role: z.enum(CTA_ROLES),
  /** What is on the button. */
  label: line(LIMITS.nameChars),
  /** What this choice does, in words. [CARD-02] */
  consequence_label: line(LIMITS.titleChars),
});

/** What every card of a connection has, as every other card. [CARD-11] */
const base = {
  intent: line(CARD_INTENT_CHARS),
  risk_level: z.enum(RISK_LEVELS),
  rationale: line(LIMITS.titleChars),
  ctas: z.array(cta).check(minLength(1)),
} as const;

export const connectionCardSchema = z.discriminatedUnion("card_type", [
  z.strictObject({
    card_type: z.literal("device_code"),
    ...base,
    verification_url: z.string(),
    user_code: z.string(),
    /** Seconds from `shown_at` of the setup. */
    expires_in: z.int(),
    poll_interval: z.int(),
  }),
  z.strictObject({
    card_type: z.literal("browser_redirect"),
    ...base,
    auth_url: z.string(),
    listening_on: z.string(),
  }),
  /** The secret itself is asked for by the card of its secure input, which `vault_ref` names. */
  z.strictObject({ card_type: z.literal("secure_input"), ...base, vault_ref: z.string() }),
  z.strictObject({ card_type: z.literal("progress"), ...base, progress_pct: z.nullable(z.number()) }),
  z.strictObject({
    card_type: z.literal("connection_failure"),
    ...base,
    failure_type: z.enum(FAILURE_TYPES),
    service: z.string(),
    message: z.string(),
    recovery_options: z.array(recoveryOptionSchema).check(minLength(1)),
  }),
]);
export type ConnectionCard = z.infer<typeof connectionCardSchema>;
export type ConnectionCardOf<T extends ConnectionCard["card_type"]> = Extract<
  ConnectionCard,
  { readonly card_type: T }
>;
