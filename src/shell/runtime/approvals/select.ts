import { err, type Result } from "#base";
import { batchAfter, parsePayload, type SelectionRefusal } from "#model";
import type { ItemChoice, Proposed, ProposeRefusal } from "#ports";
import { stillPending } from "./answer.ts";
import { payloadRequest, type ApprovalsDeps } from "./propose.ts";

/**
 * Some of a batch in place of all of it: a strict part, in the order it was chosen. The request it was chosen from is
 * over by the same commit, and what was chosen is asked about like anything else. [BATCH-05]
 */
export async function selectItems(
  deps: ApprovalsDeps,
  { requestId, itemIds, actor }: ItemChoice,
): Promise<Result<Proposed, ProposeRefusal | SelectionRefusal>> {
  const at = deps.clock.now();
  const found = await deps.store.find(requestId);
  if (!found.ok) return found;
  if (found.value === null) return err({ code: "request_unknown", requestId });
  const open = stillPending(found.value);
  if (!open.ok) return open;
  const payload = parsePayload(found.value.markdown);
  if (!payload.ok || payload.value.kind !== "batch_review") return err({ code: "selection_refused", itemId: null });
  const chosen = batchAfter(payload.value, { verdict: "edit_selection", selected_item_ids: [...itemIds] });
  if (!chosen.ok) return chosen;
  if (chosen.value === null) return err({ code: "selection_refused", itemId: null });
  const request = payloadRequest(deps, { payload: chosen.value, actor, againOf: requestId });
  if (!request.ok) return request;
  return deps.store.replace({ requestId, planHash: found.value.planHash, at, actor }, request.value);
}
