import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "../approval/fields.ts";
import { recordOf, writerOf } from "../approval/record-codec.ts";
import { SKILL_NAME } from "../skill/skill-tree.ts";
import { instantSchema, maxLength, minLength } from "../values.ts";

/**
 * How a service lets somebody in, the better first: a code typed on its own site, a page of its own that leads back to
 * this machine, a secret that is typed here. [SETUP-01] [SECRET-13]
 */
export const AUTH_STRATEGIES = ["device_code", "browser_redirect", "secure_input"] as const;
export type AuthStrategy = (typeof AUTH_STRATEGIES)[number];

const CONNECTION_STATUSES = ["proposed", "connecting", "active", "paused", "failed"] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** What Silas may do with a connection. It changes what a person does to approve, and never whether. [CONN-05] */
const CONNECTION_TIERS = ["observe", "draft", "act", "manage"] as const;

/** A namespace of its own: no session of a channel is called like this, and nothing else is a connection. [CONN-03] */
export const CONNECTION_ID = /^conn-[0-9a-f]{16}$/;
const connectionId = z.string().check(z.regex(CONNECTION_ID));

/** A permission as the service calls it, such as `Mail.Read`, `repo:read` or a URL of one. */
export const PERMISSION = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;
export const permissionsSchema = z.array(z.string().check(z.regex(PERMISSION))).check(
  maxLength(50),
  z.refine((all) => new Set(all).size === all.length, "named_twice"),
);

/** Which part of a life it belongs to, such as `personal` or `business:acme`. */
export const connectionDomain = z.string().check(z.regex(/^[a-z][a-z0-9-]{0,31}(?::[a-z0-9][a-z0-9-]{0,31})?$/));

/** A service that is, or is to be, connected. Nothing in it can hold a secret. [CONN-01] [CONN-02] */
export const connectionRecordSchema = recordOf(
  z.strictObject({
    connection_id: connectionId,
    name: line(LIMITS.nameChars),
    domain: connectionDomain,
    skill_name: z.string().check(z.regex(SKILL_NAME)),
    auth_strategy: z.enum(AUTH_STRATEGIES),
    permissions: z.array(z.enum(CONNECTION_TIERS)),
    permissions_granted: permissionsSchema,
    permissions_available: permissionsSchema,
    initial_permissions: permissionsSchema,
    status: z.enum(CONNECTION_STATUSES),
    /** A schedule of five parts. */
    health_check: z.string().check(minLength(9), maxLength(100)),
    token_expires_at: z.nullable(instantSchema),
    refresh_token_expires_at: z.nullable(instantSchema),
    last_health_check: z.nullable(instantSchema),
    last_refresh: z.nullable(instantSchema),
  }),
);
export type ConnectionRecord = z.infer<typeof connectionRecordSchema>;
export const connectionRecordToWire = writerOf(connectionRecordSchema);

/** What `health_check` answers. [CONN-13] */
export const healthCheckSchema = z.strictObject({
  healthy: z.boolean(),
  token_expires_at: z.prefault(z.nullable(instantSchema), null),
  refresh_token_expires_at: z.prefault(z.nullable(instantSchema), null),
  latency_ms: z.int().check(z.gte(0)),
  error: z.prefault(z.nullable(line(LIMITS.titleChars)), null),
  warnings: z.prefault(z.array(line(LIMITS.titleChars)).check(maxLength(20)), []),
});
export type HealthCheck = z.infer<typeof healthCheckSchema>;
