import * as z from "zod/mini";
import type { NameOf } from "../work/work-names.ts";
import { digest, id } from "../values.ts";

const about = { request_id: id, work_item_id: id };

/** What the audit chain says about batches besides their approval and their runs. */
export const batchAuditSchemas = {
  /** One for each verdict and one for a taking back: what later limits of autonomy are judged by. [BATCH-07] */
  batch_outcome: z.strictObject({
    ...about,
    outcome: z.enum(["approved", "declined", "edited", "undone"]),
    items: z.int().check(z.gte(0)),
  }),
  /** The approval of the way back was signed together with that of the batch, and is kept. [UNDO-01] */
  undo_kept: z.strictObject({ ...about, act_id: z.optional(id), plan_hash: digest, token_id: id, key_id: id }),
} as const;

type BatchEvent = keyof typeof batchAuditSchemas;
type Sentences = {
  readonly [E in BatchEvent]: (data: z.infer<(typeof batchAuditSchemas)[E]>, nameOf: NameOf) => string;
};

export const batchSentences: Sentences = {
  batch_outcome: ({ work_item_id: name, outcome, items }, nameOf) =>
    `${OUTCOMES[outcome]} ${items === 1 ? "1 item" : `${items} items`} of ${nameOf(name)}`,
  undo_kept: ({ work_item_id: name, key_id }, nameOf) =>
    `Kept the way back of ${nameOf(name)}, signed with key ${key_id.slice(0, 8)}`,
};

const OUTCOMES = {
  approved: "You approved",
  declined: "You declined",
  edited: "You chose among",
  undone: "You asked to put back",
} as const;
