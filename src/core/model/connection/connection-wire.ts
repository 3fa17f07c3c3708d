import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "../approval/fields.ts";
import { writerOf } from "../approval/record-codec.ts";
import { instantSchema } from "../values.ts";
import { connectionCardSchema } from "./connection-card.ts";
import { AUTH_STRATEGIES, connectionRecordSchema, permissionsSchema } from "./connection-record.ts";
import { SKILL_NAME } from "../skill/skill-tree.ts";

/** A connection with what is going on about it. */
export const connectionViewSchema = z.strictObject({
  record: connectionRecordSchema,
  /** What the service is called. */
  service: z.string(),
  /** Whether a real call has shown that it works. */
  probe: z.enum(["probed", "unprobed"]),
  /** What the last look said of it, in one line; null when there was none. */
  summary: z.nullable(z.string()),
  /** The request that asks to connect it, while that waits. */
  request_id: z.nullable(z.string()),
  /** The request whose approval it signs in again for, to be given more; it goes on with what it has meanwhile. */
  widens: z.nullable(z.string()),
  /** The step the setup has come to; null while none runs. */
  setup: z.nullable(
    z.strictObject({ step_id: z.string(), step_type: z.string(), shown_at: instantSchema, card: connectionCardSchema }),
  ),
  /** What went wrong last and waits for an answer. */
  failure: z.nullable(connectionCardSchema),
});
export type ConnectionView = z.infer<typeof connectionViewSchema>;
export type ConnectionViewBody = z.input<typeof connectionViewSchema>;
export const connectionViewToWire = writerOf(connectionViewSchema);

const hint = z.prefault(z.nullable(line(LIMITS.nameChars)), null);
/** Who somebody is at the service; discovery is told, and the card shows it. */
export const identityHintSchema = z.strictObject({ name: hint, email: hint, domain: hint });
export type IdentityHint = z.infer<typeof identityHintSchema>;

/** `POST /api/connections/connect` */
export const connectSchema = z.strictObject({
  skill: z.string().check(z.regex(SKILL_NAME)),
  identity_hint: identityHintSchema,
});
/** `POST /api/connections/:id/recover`: one of the chips of the failure card. */
export const recoverSchema = z.strictObject({ action: z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/)) });

/** What `discover` answers. [SETUP-04] */
export const discoverySchema = z.strictObject({
  auth_strategy: z.enum(AUTH_STRATEGIES),
  provider: line(LIMITS.nameChars),
  identity_match: z.boolean(),
  tenant_type: z.prefault(z.nullable(line(LIMITS.nameChars)), null),
  initial_permissions: permissionsSchema,
  setup_requirements: z.strictObject({
    browser: z.boolean(),
    secure_input: z.boolean(),
    app_registration: z.boolean(),
  }),
  /** Every way in the service offers here; the best of them is taken. */
  supported_strategies: z.prefault(z.array(z.enum(AUTH_STRATEGIES)), []),
});
export type Discovery = z.infer<typeof discoverySchema>;
