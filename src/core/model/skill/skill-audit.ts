import * as z from "zod/mini";
import { SKILL_NAME } from "./skill-tree.ts";
import { digest, id } from "../values.ts";

const skill = z.string().check(z.regex(SKILL_NAME));
const code = z.string().check(z.regex(/^[a-z][a-z0-9_]{0,63}$/));

/** What the audit chain says about skills besides the approval of their installation. */
export const skillAuditSchemas = {
  /** The version with these bytes may be used from now on, on this approval. [INV-06] */
  skill_installed: z.strictObject({ request_id: id, skill, tree_digest: digest, token_id: id }),
  /** It was approved, and is not active. */
  skill_install_failed: z.strictObject({ request_id: id, skill, tree_digest: digest, reason: code }),
  skill_removed: z.strictObject({ skill, tree_digest: digest }),
} as const;

type SkillEvent = keyof typeof skillAuditSchemas;
type Sentences = { readonly [E in SkillEvent]: (data: z.infer<(typeof skillAuditSchemas)[E]>) => string };

export const skillSentences: Sentences = {
  skill_installed: ({ skill: name, tree_digest }) => `Installed the skill ${name} (${tree_digest.slice(0, 12)})`,
  skill_install_failed: ({ skill: name, reason }) => `The skill ${name} was approved and is not active (${reason})`,
  skill_removed: ({ skill: name }) => `Removed the skill ${name}`,
};
