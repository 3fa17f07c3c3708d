import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "../approval/fields.ts";
import { maxLength } from "../values.ts";

export const FAILURE_TYPES = [
  "enterprise_policy_block",
  "consent_denied",
  "mfa_required",
  "rate_limited",
  "service_unavailable",
  "token_revoked",
  "unknown",
] as const;
export type FailureType = (typeof FAILURE_TYPES)[number];

const actionKey = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));

/** One way on after a failure, as a chip shows it. */
export const recoveryOptionSchema = z.strictObject({
  action: actionKey,
  label: line(LIMITS.nameChars),
  description: line(LIMITS.titleChars),
  risk_level: z.enum(["low", "medium", "high"]),
});
export type RecoveryOption = z.infer<typeof recoveryOptionSchema>;

/** What a script says that failed. [CONN-14] */
export const connectionFailureSchema = z.strictObject({
  failure_type: z.enum(FAILURE_TYPES),
  service: line(LIMITS.nameChars),
  message: line(LIMITS.titleChars),
  recovery_options: z.array(recoveryOptionSchema).check(maxLength(6)),
});
export type ConnectionFailure = z.infer<typeof connectionFailureSchema>;
