import { err, ok, type Result } from "#base";
import { batchAfter, payloadProjection, type ShownRequestBody } from "#model";
import { send, type WireError } from "../../wire/http.ts";
import { showRequest } from "../review-reads.ts";
import type { Choosing } from "./use-batch.ts";

export type SelectFailure = WireError | { readonly code: "selection_differs" };

/**
 * The request that asks about exactly what is ticked. Leaving something out is another batch with another hash, so the
 * server asks anew; what it answers must be the batch that follows from what is shown here, or nothing is signed.
 * [BATCH-05]
 */
export async function selectBatch(
  request: ShownRequestBody,
  { batch, ids, all }: Pick<Choosing, "batch" | "ids" | "all">,
): Promise<Result<ShownRequestBody, SelectFailure>> {
  if (ids.length === all) return ok(request);
  const left = batchAfter(batch.proposal, { verdict: "edit_selection", selected_item_ids: [...ids] });
  if (!left.ok || left.value === null) return err({ code: "selection_differs" });
  const path = `/api/approvals/${encodeURIComponent(request.request_id)}/selection`;
  const asked = await send<{ readonly request: { readonly request_id: string } }>(path, {
    method: "POST",
    json: { selected_item_ids: ids },
  });
  if (!asked.ok) return asked;
  const fresh = await showRequest(asked.value.request.request_id);
  if (!fresh.ok) return fresh;
  return fresh.value.projection === payloadProjection(left.value) ? fresh : err({ code: "selection_differs" });
}
