import * as z from "zod/mini";
import { egressReason } from "../egress/egress-words.ts";
import { reasonWords } from "../audit/reason-words.ts";
import { SKILL_NAME } from "../skill/skill-tree.ts";
import { CONNECTION_ID } from "./connection-record.ts";
import { id } from "../values.ts";

const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));
const ref = z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]{0,127}$/));
const host = z.string().check(z.regex(/^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\]):\d{1,5}$/));
const about = {
  connection_id: z.string().check(z.regex(CONNECTION_ID)),
  skill: z.string().check(z.regex(SKILL_NAME)),
} as const;

/** What the audit chain says about connections besides the approvals: which, where and whether, never what was said. */
export const connectionAuditSchemas = {
  connection_proposed: z.strictObject(about),
  connection_setup_begun: z.strictObject({ ...about, request_id: id, token_id: id }),
  /** It is not connected, and no secret of it is left. */
  connection_setup_ended: z.strictObject({ ...about, reason: code }),
  connection_registered: z.strictObject({ ...about, permissions: z.int().check(z.gte(0)) }),
  connection_refreshed: z.strictObject(about),
  connection_recovered: z.strictObject(about),
  connection_failed: z.strictObject({ ...about, failure_type: code }),
  /** A wider permission that stays, signed for by this token. [PERM-04] */
  connection_widened: z.strictObject({ ...about, request_id: id, token_id: id, permissions: z.int().check(z.gte(1)) }),
  /** A wider permission for one call; what the connection has is as it was. [PERM-05] */
  connection_widened_once: z.strictObject({ ...about, request_id: id, token_id: id }),
  /** It was approved and could not be had; what the connection has is as it was. */
  connection_not_widened: z.strictObject({ ...about, request_id: id, reason: code }),
  connection_removed: z.strictObject(about),
  /** Before the first byte leaves for this host. */
  connection_reached: z.strictObject({ ...about, script: code, host }),
  connection_kept_from: z.strictObject({ ...about, script: code, host: z.nullable(host), reason: code }),
  /** Before it leaves: to the host it was saved for, or to this script where there is no host. */
  connection_secret_used: z.strictObject({ ...about, script: code, ref_id: ref, host: z.nullable(host) }),
  /** A script showed a secret of its connection; nothing of what it said was kept. */
  connection_output_withheld: z.strictObject({ ...about, script: code, ref_id: ref }),
} as const;

type ConnectionEvent = keyof typeof connectionAuditSchemas;
type Sentences = { readonly [E in ConnectionEvent]: (data: z.infer<(typeof connectionAuditSchemas)[E]>) => string };

export const connectionSentences: Sentences = {
  connection_proposed: ({ skill }) => `Asked whether to connect with ${skill}`,
  connection_setup_begun: ({ skill }) => `Began to connect with ${skill}`,
  connection_setup_ended: ({ skill, reason }) => `Did not connect with ${skill} (${reasonWords(reason)})`,
  connection_registered: ({ skill, permissions }) =>
    `Connected with ${skill}, with ${permissions} permission${permissions === 1 ? "" : "s"}`,
  connection_refreshed: ({ skill }) => `Renewed the access of the connection ${skill}`,
  connection_recovered: ({ skill }) => `Repaired the connection ${skill}`,
  connection_failed: ({ skill, failure_type }) => `The connection ${skill} failed (${reasonWords(failure_type)})`,
  connection_widened: ({ skill, permissions }) =>
    `Widened the connection ${skill}; it has ${permissions} permission${permissions === 1 ? "" : "s"} now`,
  connection_widened_once: ({ skill }) => `Widened the connection ${skill} for one call`,
  connection_not_widened: ({ skill, reason }) => `Did not widen the connection ${skill} (${reasonWords(reason)})`,
  connection_removed: ({ skill }) => `Removed the connection ${skill} and its secrets`,
  connection_reached: ({ skill, script, host: at }) => `The script ${script} of the connection ${skill} reached ${at}`,
  connection_kept_from: ({ skill, script, host: at, reason }) =>
    `Kept the script ${script} of the connection ${skill} from reaching ${at ?? "a place that cannot be read"} (${egressReason(reason)})`,
  connection_secret_used: ({ skill, script, ref_id, host: at }) =>
    at === null
      ? `Gave the secret ${ref_id} to the script ${script} of the connection ${skill}`
      : `Used the secret ${ref_id} at ${at} for the script ${script} of the connection ${skill}`,
  connection_output_withheld: ({ skill, script, ref_id }) =>
    `Kept nothing of what the script ${script} of the connection ${skill} said: it showed the secret ${ref_id}`,
};
