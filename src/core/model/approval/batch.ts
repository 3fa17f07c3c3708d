import * as z from "zod/mini";
import { err, LIMITS, ok, type JsonValue, type Result } from "#base";
import { CHOOSE_MOVE, MOVE_FILES, narrowMoves } from "../batch/move-files.ts";
import { id, instantSchema, maxLength, minLength } from "../values.ts";
import { line } from "./fields.ts";

/** Actions that are reviewed many at a time. The domain names the action; Silas binds an approval to exactly these. */

const share = z.number().check(z.gte(0), z.lte(1));
const ACTION = /^[a-z][a-z0-9_]{0,39}$/;

/** One thing the action would be done to, and why it is here. [CARD-12] */
export const batchActionItemSchema = z.strictObject({
  item_id: line(LIMITS.idChars),
  title: line(LIMITS.titleChars),
  actor: line(LIMITS.titleChars),
  occurred_at: instantSchema,
  reason: line(LIMITS.titleChars),
  confidence: share,
  /** What is unusual about it, as codes; left out when nothing is. A surface does not tick it by itself. */
  flags: z.optional(z.array(z.string().check(z.regex(ACTION))).check(maxLength(LIMITS.planParts))),
});

export const batchProposalSchema = z.strictObject({
  kind: z.literal("batch_review"),
  /** A name for this proposal. It authorises nothing and is not in the hash. [CARD-15] */
  batch_id: id,
  goal_id: id,
  action: z.string().check(z.regex(ACTION)),
  /** What the action is given besides the items; null for nothing. */
  params: z.nullable(z.record(z.string(), z.json()) as z.ZodMiniType<{ readonly [name: string]: JsonValue }>),
  items: z.array(batchActionItemSchema).check(
    minLength(1),
    maxLength(LIMITS.recordsPerCommand),
    z.refine((items) => isDistinct(items.map(({ item_id }) => item_id)), "item_repeated"),
  ),
  reason_summary: line(LIMITS.titleChars),
  confidence_min: share,
  created_at: instantSchema,
});
export type BatchProposal = z.infer<typeof batchProposalSchema>;

/** What an approval of a batch is bound to: the items in their order and how many they are. [CARD-14] */
export type BatchProjection = {
  readonly goal_id: string;
  readonly action: string;
  readonly params: { readonly [name: string]: JsonValue } | null;
  readonly item_ids: readonly string[];
  readonly count: number;
};

export function projectBatch({ goal_id, action, params, items }: BatchProposal): BatchProjection {
  return { goal_id, action, params, item_ids: items.map(({ item_id }) => item_id), count: items.length };
}

const BATCH_VERDICTS = ["approve", "decline", "edit_selection"] as const;
/** `selected_item_ids` is needed for a selection, and says nothing beside the other two verdicts. [CARD-13] */
export const batchDecisionSchema = z
  .strictObject({
    verdict: z.enum(BATCH_VERDICTS),
    selected_item_ids: z.optional(z.array(z.string()).check(maxLength(LIMITS.recordsPerCommand))),
  })
  .check(
    z.refine(
      ({ verdict, selected_item_ids: selected }) => verdict !== "edit_selection" || selected !== undefined,
      "selection_missing",
    ),
  );
type BatchDecision = z.infer<typeof batchDecisionSchema>;
export type SelectionRefusal = { readonly code: "selection_refused"; readonly itemId: string | null };

/**
 * The batch an answer leaves: all of it, none of it, or the chosen items in the order they were chosen. A selection is
 * another batch with another hash, and is asked about again. Of a question one way is chosen, and that is the batch. [BATCH-05]
 */
export function batchAfter(
  proposal: BatchProposal,
  { verdict, selected_item_ids: selected = [] }: BatchDecision,
): Result<BatchProposal | null, SelectionRefusal> {
  if (verdict !== "edit_selection") return ok(verdict === "approve" ? proposal : null);
  const byId = new Map(proposal.items.map((item) => [item.item_id, item]));
  const unknown = selected.find((itemId) => !byId.has(itemId));
  const isPart = selected.length > 0 && selected.length < proposal.items.length && isDistinct(selected);
  const isQuestion = proposal.action === CHOOSE_MOVE;
  if (unknown !== undefined || !isPart || (isQuestion && selected.length !== 1)) {
    return err({ code: "selection_refused", itemId: unknown ?? null });
  }
  // Settings that speak of an item go with it: what is left out of the batch is left out of what is signed.
  const isMove = isQuestion || proposal.action === MOVE_FILES;
  const params = isMove ? narrowMoves(proposal.params, selected) : proposal.params;
  const items = selected.flatMap((itemId) => byId.get(itemId) ?? []);
  const action = isMove ? MOVE_FILES : proposal.action;
  return ok({
    ...proposal,
    action,
    params,
    items,
    confidence_min: Math.min(...items.map(({ confidence }) => confidence)),
  });
}

const isDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length;
