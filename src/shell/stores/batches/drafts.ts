import { assert } from "#base";
import { keptAct, type AuditActor, type AuditDraft, type KeptRequest } from "#model";
import type { AlsoGranted, KeptUndo, Spending, Undoing } from "#ports";

/** What the stores record about batches, in one place. */

type Outcome = "approved" | "declined" | "edited";
type Decided = { readonly outcome: Outcome; readonly at: Spending["at"]; readonly actor: AuditActor };

/** One entry for the verdict on a batch; nothing for any other request. An expiry is no outcome. [BATCH-07] */
export function outcomeDrafts(request: KeptRequest, { outcome, at, actor }: Decided): readonly AuditDraft[] {
  if (request.kind !== "batch_review") return [];
  const { requestId, workItemId, card } = request;
  const items = card.affectedItems?.count ?? 0;
  return [
    { event: "batch_outcome", data: { request_id: requestId, work_item_id: workItemId, outcome, items }, at, actor },
  ];
}

/** The approval of a way back was given: nothing of it is used yet. */
export function undoKeptDraft({ judged, at, actor }: Spending, { token, workItemId }: AlsoGranted): AuditDraft {
  assert(judged !== null, "a way back comes with the decision of a request");
  return {
    event: "undo_kept",
    data: {
      request_id: judged.requestId,
      work_item_id: workItemId,
      act_id: keptAct(token.tokenId),
      plan_hash: token.planHash,
      token_id: token.tokenId,
      key_id: token.keyId,
    },
    at,
    actor,
  };
}

export const undoneDraft = ({ requestId }: KeptUndo, { spending, items }: Omit<Undoing, "runId">): AuditDraft => ({
  event: "batch_outcome",
  data: { request_id: requestId, work_item_id: spending.workItemId, outcome: "undone", items },
  at: spending.at,
  actor: spending.actor,
});
