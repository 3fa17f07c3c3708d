import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "../approval/fields.ts";
import { askedShape, calledShape } from "../approval/step-question.ts";
import { SKILL_NAME } from "../skill/skill-tree.ts";
import { CONNECTION_ID, permissionsSchema } from "./connection-record.ts";
import { digest, minLength } from "../values.ts";

/**
 * A step that uses more of a connection than it was granted. Bound are the very call, the connection with the version of
 * its skill, what it has and what is asked for, so that an approval widens this one by this much and begins this call
 * once. [CARD-09] [PERM-07]
 */
export const escalationShape = {
  ...askedShape,
  ...calledShape,
  connection_id: z.string().check(z.regex(CONNECTION_ID)),
  connection_name: line(LIMITS.nameChars),
  skill: z.string().check(z.regex(SKILL_NAME)),
  tree_digest: digest,
  current_permissions: permissionsSchema,
  requested_permissions: permissionsSchema.check(minLength(1)),
  reason: line(LIMITS.titleChars),
  /** Whether the service can give it for this one call, and take nothing away from what is there. */
  may_be_once: z.boolean(),
} as const;

/** How long a wider permission is wanted; without it, it stays. [PERM-05] */
export const escalationReplySchema = z.strictObject({ duration: z.literal("once") });
export type EscalationReply = z.infer<typeof escalationReplySchema>;
