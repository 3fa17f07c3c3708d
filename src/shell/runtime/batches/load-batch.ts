import { err, ok, sha256Hex, type Instant, type Result, type Sha256Hex } from "#base";
import { batchBytes, parsePayload, projectBatch, reverseMoves, type KeptRequest, type WorkItem } from "#model";
import type { GrantedRun } from "#ports";
import { compileBatch } from "#work";

type Loading = { readonly grant: Pick<GrantedRun, "planHash">; readonly at: Instant };
export type LoadedBatch = { readonly item: WorkItem; readonly contentHash: Sha256Hex };

/**
 * What a grant on a batch runs, read afresh from what was proposed: the batch itself or its way back, whichever the
 * attempt was granted for. An action that nobody knows runs as nothing. [BATCH-04]
 */
export function loadBatch(
  { markdown }: Pick<KeptRequest, "markdown">,
  { grant, at }: Loading,
): Result<LoadedBatch, { readonly code: "plan_unreadable" | "plan_kind_refused" }> {
  const payload = parsePayload(markdown);
  if (!payload.ok || payload.value.kind !== "batch_review") return err({ code: "plan_unreadable" });
  const forward = projectBatch(payload.value);
  const back = reverseMoves(forward);
  for (const projection of back.ok ? [forward, back.value] : [forward]) {
    const contentHash = sha256Hex(batchBytes(projection));
    if (contentHash !== grant.planHash) continue;
    const compiled = compileBatch(projection, at);
    return compiled.ok ? ok({ item: compiled.value.item, contentHash }) : err({ code: "plan_kind_refused" });
  }
  return err({ code: "plan_unreadable" });
}
