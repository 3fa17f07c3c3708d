import * as z from "zod/mini";
import type { NameOf } from "../work/work-names.ts";
import { id } from "../values.ts";

const ref = z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]{0,127}$/));
const host = z.string().check(z.regex(/^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\]):\d{1,5}$/));
const run = { run_id: id, work_item_id: id };

/** What the audit chain says about secrets in runs: which, where and whether, never anything made from one. */
export const credentialAuditSchemas = {
  /** Before it leaves: to the host it was saved for, or to a program of this step where there is no host. */
  credential_used: z.strictObject({ ...run, index: z.int().check(z.gte(0)), ref_id: ref, host: z.nullable(host) }),
  /** Something that was printed or left showed it, and was not kept. */
  output_withheld: z.strictObject({ ...run, ref_id: ref }),
} as const;

type CredentialEvent = keyof typeof credentialAuditSchemas;
type Sentences = {
  readonly [E in CredentialEvent]: (data: z.infer<(typeof credentialAuditSchemas)[E]>, nameOf: NameOf) => string;
};

export const credentialSentences: Sentences = {
  credential_used: ({ work_item_id: name, index, ref_id, host: at }, nameOf) =>
    at === null
      ? `Gave the secret ${ref_id} to step ${index + 1} of ${nameOf(name)}`
      : `Used the secret ${ref_id} at ${at} for step ${index + 1} of ${nameOf(name)}`,
  output_withheld: ({ work_item_id: name, ref_id }, nameOf) =>
    `Kept nothing of what ${nameOf(name)} printed or left: it showed the secret ${ref_id}`,
};
