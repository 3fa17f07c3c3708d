import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "../approval/fields.ts";
import { SKILL_NAME } from "../skill/skill-tree.ts";
import { hostSchema } from "./connection-manifest.ts";
import { AUTH_STRATEGIES, CONNECTION_ID, permissionsSchema } from "./connection-record.ts";
import { identityHintSchema } from "./connection-wire.ts";
import { credentialName } from "./setup-step.ts";
import { digest } from "../values.ts";

/**
 * What an approval to connect is bound to: which skill in which version, who somebody is there, exactly these
 * permissions, everything its scripts may reach, and where each secret may go. [SETUP-10]
 */
export const connectionSetupShape = {
  connection_id: z.string().check(z.regex(CONNECTION_ID)),
  service: line(LIMITS.nameChars),
  skill: z.string().check(z.regex(SKILL_NAME)),
  tree_digest: digest,
  auth_strategy: z.enum(AUTH_STRATEGIES),
  identity_hint: identityHintSchema,
  permissions: permissionsSchema,
  hosts: z.array(hostSchema),
  secrets: z.array(z.strictObject({ name: credentialName, host: z.nullable(hostSchema) })),
} as const;
