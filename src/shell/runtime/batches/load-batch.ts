import { err, ok, sha256Hex, type Instant, type Result, type Sha256Hex } from "#base";
import {
  batchBytes,
  narrowBatch,
  parsePayload,
  projectBatch,
  reverseMoves,
  type KeptRequest,
  type LedgerEntry,
  type StoreFault,
  type WorkItem,
} from "#model";
import type { GrantedRun } from "#ports";
import { compileBatch, movedOf } from "#work";
import type { BatchDeps } from "./deps.ts";

type Ledger = readonly LedgerEntry[];
type Loading = {
  readonly grant: Pick<GrantedRun, "planHash">;
  /** What the run did that this grant takes back; null when it takes nothing back. */
  readonly before: Ledger | null;
  readonly at: Instant;
};
type LoadedBatch = { readonly item: WorkItem; readonly contentHash: Sha256Hex };
type Unusable = { readonly code: "plan_unreadable" | "plan_kind_refused" };

/**
 * What a grant on a batch runs, read afresh from what was proposed: the batch itself or its way back, whichever the
 * attempt was granted for. Of the way back it is the part that there is to take back, and the hash is that of all of it,
 * which was signed. An action that nobody knows runs as nothing. [BATCH-04] [UNDO-03]
 */
export function loadBatch(
  { markdown }: Pick<KeptRequest, "markdown">,
  { grant, before, at }: Loading,
): Result<LoadedBatch, Unusable> {
  const payload = parsePayload(markdown);
  if (!payload.ok || payload.value.kind !== "batch_review") return err({ code: "plan_unreadable" });
  const forward = projectBatch(payload.value);
  const signed = before === null ? ok(forward) : reverseMoves(forward);
  if (!signed.ok) return err({ code: "plan_unreadable" });
  const contentHash = sha256Hex(batchBytes(signed.value));
  if (contentHash !== grant.planHash) return err({ code: "plan_unreadable" });
  const { item_ids: itemIds } = forward;
  const item = compileBatch(
    before === null ? forward : narrowBatch(signed.value, movedOf({ itemIds, ledger: before })),
    at,
  );
  return item.ok ? ok({ item: item.value, contentHash }) : err({ code: "plan_kind_refused" });
}

/** What the run did that a grant takes back. A run that was taken back has ended, and its ledger stays as it is. */
export async function ledgerBefore(
  {
    store,
    work,
  }: { readonly store: Pick<BatchDeps["store"], "findUndo">; readonly work: Pick<BatchDeps["work"], "ledger"> },
  { runId }: Pick<GrantedRun, "runId">,
): Promise<Result<Ledger | null, StoreFault>> {
  const kept = await store.findUndo(runId);
  if (!kept.ok) return kept;
  return kept.value === null || kept.value.undoRunId !== runId ? ok(null) : work.ledger(kept.value.runId);
}
