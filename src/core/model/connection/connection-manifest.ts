import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "../approval/fields.ts";
import { recordOf } from "../approval/record-codec.ts";
import { parseHostRule } from "../egress/host-rule.ts";
import { isSkillScript } from "../skill/skill-tree.ts";
import { AUTH_STRATEGIES, connectionDomain, PERMISSION, permissionsSchema } from "./connection-record.ts";
import { credentialName, outsideAddress } from "./setup-step.ts";
import { maxLength, minLength } from "../values.ts";

/** A place of the open internet as a plan names it. */
export const hostSchema = z.string().check(z.refine((text) => parseHostRule(text) !== null, "not_a_host"));

/**
 * Where a secret of the connection may go. With a host, requests for that host carry it in the header and no script ever
 * holds it; without one a script is handed it once, through a pipe.
 */
const credentialSchema = z.strictObject({
  host: z.prefault(z.nullable(hostSchema), null),
  header: z.prefault(z.string().check(z.regex(/^[a-z][a-z0-9-]{0,63}$/)), "authorization"),
});

/** What the SKILL.md of a connection says besides what every skill says. [CONN-11] */
export const connectionManifestSchema = recordOf(
  z
    .strictObject({
      service: line(LIMITS.nameChars),
      auth_strategy: z.enum(AUTH_STRATEGIES),
      initial_permissions: permissionsSchema,
      available_permissions: permissionsSchema,
      /** Everything its scripts may reach. */
      hosts: z.prefault(z.array(hostSchema).check(maxLength(10)), []),
      credentials: z.prefault(z.record(credentialName, credentialSchema), {}),
      domain: z.prefault(connectionDomain, "personal"),
      /** What each script needs that steps of plans run; one that is not here uses nothing of the connection. */
      script_permissions: z.prefault(z.record(z.string(), permissionsSchema.check(minLength(1))), {}),
      /** Whether the service gives a wider token beside the one there is, so that it can be given for one call. */
      one_time_permissions: z.prefault(z.boolean(), false),
      /** When it is looked at; null for the schedule of the configuration. */
      health_check: z.prefault(z.nullable(z.string().check(minLength(9), maxLength(100))), null),
      /** For a letter to whoever decides in an organisation; nothing of Silas uses them. */
      client_id: z.prefault(z.nullable(line(LIMITS.titleChars)), null),
      admin_consent_url: z.prefault(z.nullable(outsideAddress), null),
      permission_reasons: z.prefault(z.record(z.string().check(z.regex(PERMISSION)), line(LIMITS.titleChars)), {}),
    })
    .check(
      z.refine(
        ({ hosts, credentials }) =>
          Object.values(credentials).every(({ host }) => host === null || hosts.includes(host)),
        "credential_host_not_listed",
      ),
      z.refine(
        ({ script_permissions: needs, available_permissions: all }) =>
          Object.entries(needs).every(([path, some]) => isSkillScript(path) && some.every((one) => all.includes(one))),
        { error: "script_permission_not_available", path: ["script_permissions"] },
      ),
    ),
);
export type ConnectionManifest = z.infer<typeof connectionManifestSchema>;

/** Its keys in SKILL.md, there or under `metadata`. */
export const CONNECTION_KEYS = [
  "service",
  "auth_strategy",
  "initial_permissions",
  "available_permissions",
  "hosts",
  "credentials",
  "domain",
  "script_permissions",
  "one_time_permissions",
  "health_check",
  "client_id",
  "admin_consent_url",
  "permission_reasons",
] as const;

/** The scripts a connection cannot do without, each `.mjs` or `.py`. `probe` may be left out. [CONN-11] */
export const CONNECTION_SCRIPTS = ["discover", "setup", "refresh_token", "health_check", "recover"] as const;
export type ConnectionScript = (typeof CONNECTION_SCRIPTS)[number] | "probe";
