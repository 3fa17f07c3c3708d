import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "../approval/fields.ts";
import { instantSchema, maxLength } from "../values.ts";
import { connectionFailureSchema } from "./connection-failure.ts";
import { permissionsSchema } from "./connection-record.ts";

/** An address a person is sent to: over https alone, with a host that can be read. */
export const outsideAddress = z
  .string()
  .check(
    maxLength(2_000),
    z.regex(/^https:\/\/[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?(?:[/?#][\x21-\x7e]*)?$/),
  );
const seconds = z.int().check(z.gte(1), z.lte(86_400));
/** What a script calls a secret of its connection; the vault keeps it under the name of the connection. */
export const credentialName = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,31}$/));
const stepId = z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/));

const secureInput = z.strictObject({
  ref_id: credentialName,
  label: line(LIMITS.nameChars),
  input_hint: z.prefault(z.nullable(line(LIMITS.nameChars)), null),
  guidance: z.strictObject({
    instructions: line(LIMITS.titleChars),
    help_url: z.prefault(z.nullable(outsideAddress), null),
  }),
});

/** One step of a setup, as the script of the skill says it. [SETUP-08] */
export const setupStepSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("device_code"),
    verification_url: outsideAddress,
    user_code: line(40),
    expires_in: seconds,
    poll_interval: seconds,
  }),
  z.strictObject({
    type: z.literal("browser_redirect"),
    auth_url: outsideAddress,
    listening_on: line(LIMITS.nameChars),
  }),
  z.strictObject({ type: z.literal("secure_input"), request: secureInput }),
  z.strictObject({
    type: z.literal("progress"),
    message: line(LIMITS.titleChars),
    progress_pct: z.prefault(z.nullable(z.number().check(z.gte(0), z.lte(100))), null),
  }),
  z.strictObject({
    type: z.literal("completion"),
    success: z.boolean(),
    summary: line(LIMITS.titleChars),
    permissions_granted: permissionsSchema,
  }),
  z.strictObject({ type: z.literal("failure"), failure: connectionFailureSchema }),
]);
export type SetupStep = z.infer<typeof setupStepSchema>;

const STEP_ACTIONS = ["done", "cancel", "trouble", "retry"] as const;
/** What a person answers to a step; it names the step it was shown. */
export const stepResponseSchema = z.strictObject({
  step_id: stepId,
  step_type: z.enum(["device_code", "browser_redirect", "secure_input", "progress", "completion", "failure"]),
  action: z.enum(STEP_ACTIONS),
});
export type StepResponse = z.infer<typeof stepResponseSchema>;

/** What a setup script may say, one line each. [SETUP-06] */
export const scriptLineSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("setup_step"), step_id: stepId, step: setupStepSchema }),
  z.strictObject({ type: z.literal("await_input"), step_id: stepId }),
  z.strictObject({
    type: z.literal("completion"),
    connection_payload: z.strictObject({
      name: line(LIMITS.nameChars),
      permissions_granted: permissionsSchema,
      token_expires_at: z.prefault(z.nullable(instantSchema), null),
      refresh_token_expires_at: z.prefault(z.nullable(instantSchema), null),
    }),
  }),
  z.strictObject({ type: z.literal("failure"), failure: connectionFailureSchema }),
  z.strictObject({ type: z.literal("log"), level: z.enum(["info", "warning"]), message: line(LIMITS.titleChars) }),
]);
export type ScriptLine = z.infer<typeof scriptLineSchema>;
