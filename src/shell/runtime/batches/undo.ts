import { assert, err, ok, sha256Hex, uuidV7, type Instant, type Result } from "#base";
import {
  narrowBatch,
  parsePayload,
  readPayload,
  SCOPE_OF_KIND,
  type ApprovalUse,
  type AuditActor,
  type BatchProjection,
  type BatchProposal,
  type KeptApproval,
  type StoreFault,
  type UndoRefusal,
  type UndoView,
} from "#model";
import { judgeVerify } from "#policy";
import type { DecideRefusal, KeptUndo, Proposed, ProposeRefusal } from "#ports";
import { movedOf } from "#work";
import { recordRefusal } from "../approvals/answer.ts";
import { payloadRequest } from "../approvals/propose.ts";
import { readToken, signatureFact } from "../approvals/tokens.ts";
import type { BatchDeps } from "./deps.ts";
import { undoneUntil, viewOf } from "./view.ts";

type Asked = { readonly runId: string; readonly actor: AuditActor };
type Refused = UndoRefusal | DecideRefusal | StoreFault;

/**
 * Takes a batch back under the approval that was signed together with it. That approval is verified again and used once,
 * by the same commit that begins the run; whoever comes second finds the run and changes nothing. [UNDO-03] [UNDO-04]
 */
export async function undoBatch(deps: BatchDeps, { runId, actor }: Asked): Promise<Result<UndoView, Refused>> {
  const kept = await deps.store.findUndo(runId);
  if (!kept.ok) return kept;
  if (kept.value === null || kept.value.runId !== runId) return err({ code: "undo_unknown", runId });
  const begun = kept.value.undoRunId === null ? await begin(deps, { kept: kept.value, actor }) : ok();
  if (!begun.ok) return begun;
  deps.review.changed();
  const view = await viewOf(deps, runId);
  if (!view.ok) return view;
  assert(view.value !== null, "UNDO-03 what was taken back can be looked at");
  return ok(view.value);
}

type Beginning = { readonly kept: KeptUndo; readonly actor: AuditActor };

async function begin(deps: BatchDeps, { kept, actor }: Beginning): Promise<Result<void, Refused>> {
  const { runId } = kept;
  const run = await deps.work.find(runId);
  if (!run.ok) return run;
  const until = run.value === null ? null : undoneUntil(run.value, kept);
  if (until === null) return err({ code: "undo_not_yet", runId });
  const at = deps.clock.now();
  if (at >= until) return err({ code: "undo_over", runId, until });
  const found = await deps.approvals.findApproval(kept.tokenId);
  if (!found.ok) return refused(deps, { kept, actor, at, error: found.error });
  const use = await verified(deps, { kept, approval: found.value, at });
  if (!use.ok) return refused(deps, { kept, actor, at, error: use.error });
  const moved = await movedBy(deps, kept);
  if (!moved.ok) return moved;
  if (moved.value.length === 0) return err({ code: "undo_nothing", runId });
  const { contentHash, attemptLineage, workItemId, approval } = use.value;
  const spending = {
    token: approval.token,
    workItemId,
    contentHash,
    attemptLineage,
    friction: [],
    at,
    actor,
    judged: null,
    also: [],
  };
  const spent = await deps.store.beginUndo({ runId, spending, items: moved.value.length });
  return spent.ok ? ok() : spent;
}

type Refusing<E> = Beginning & { readonly at: Instant; readonly error: E };

/** That an approval which was kept for this did not hold is in the chain. [APPR-23] [FLOW-05] */
async function refused<E extends { readonly code: string }>(
  deps: BatchDeps,
  { kept, actor, at, error }: Refusing<E>,
): Promise<Result<never, E>> {
  const request = await deps.approvals.find(kept.requestId);
  const asked = request.ok ? request.value : null;
  if (asked !== null) await recordRefusal(deps, { request: asked, actor, at, reason: error.code });
  return err(error);
}

/** The items that there are to take back. */
async function movedBy({ work }: BatchDeps, kept: KeptUndo): Promise<Result<readonly string[], StoreFault>> {
  const ledger = await work.ledger(kept.runId);
  if (!ledger.ok) return ledger;
  const reverse = readPayload("batch_review", kept.reverse);
  const payload = reverse.ok ? reverse.value.payload : null;
  const itemIds = payload?.kind === "batch_review" ? payload.item_ids : [];
  return ok(movedOf({ itemIds, ledger: ledger.value }));
}

type Verifying = { readonly kept: KeptUndo; readonly approval: KeptApproval | null; readonly at: Instant };
type Verified = ApprovalUse & { readonly workItemId: string; readonly approval: KeptApproval };

/** The kept way back is the one that was signed, and its approval still holds. */
async function verified(
  { registry, randomness }: BatchDeps,
  { kept, approval, at }: Verifying,
): Promise<Result<Verified, DecideRefusal>> {
  const reverse = readPayload("batch_review", kept.reverse);
  const token = approval === null ? null : readToken(approval.token);
  if (approval === null || token === null || !reverse.ok) return err({ code: "decision_changed" });
  const { subjectId: workItemId } = reverse.value;
  const signature = await signatureFact(registry, token);
  if (!signature.ok) return signature;
  const judged = judgeVerify({
    token,
    signature: signature.value,
    item: { workItemId, contentHash: sha256Hex(kept.reverse) },
    scope: SCOPE_OF_KIND.batch_review,
    spawn: null,
    at,
    uses: approval.uses,
    lineage: uuidV7(at, randomness.bytes(10)),
    isVoid: approval.isVoid,
  });
  return judged.ok ? ok({ ...judged.value, workItemId, approval }) : judged;
}

/** The way back as a batch like any other: it is shown, approved and can itself be taken back. [UNDO-04] */
export async function proposeUndo(
  deps: BatchDeps,
  { runId, actor }: Asked,
): Promise<Result<Proposed, UndoRefusal | ProposeRefusal>> {
  const kept = await deps.store.findUndo(runId);
  if (!kept.ok) return kept;
  if (kept.value === null) return err({ code: "undo_unknown", runId });
  const request = await deps.approvals.find(kept.value.requestId);
  if (!request.ok) return request;
  const payload = request.value === null ? null : parsePayload(request.value.markdown);
  const reverse = readPayload("batch_review", kept.value.reverse);
  if (payload === null || !payload.ok || payload.value.kind !== "batch_review" || !reverse.ok) {
    return err({ code: "undo_unknown", runId });
  }
  const moved = await movedBy(deps, kept.value);
  if (!moved.ok) return moved;
  if (moved.value.length === 0) return err({ code: "undo_nothing", runId });
  const { kind: _kind, ...bound } = reverse.value.payload as { readonly kind: string } & BatchProjection;
  const isMoved = ({ item_id: id }: { readonly item_id: string }): boolean => moved.value.includes(id);
  const back: BatchProposal = {
    ...payload.value,
    batch_id: `${payload.value.batch_id}.back`.slice(0, 128),
    params: narrowBatch(bound, moved.value).params,
    items: payload.value.items
      .filter(isMoved)
      .map(({ flags: _flags, ...item }) => ({ ...item, reason: "Back to where it was" })),
    reason_summary: "The way back of a batch whose time to be taken back is over",
    created_at: deps.clock.now(),
  };
  const asked = payloadRequest(deps, { payload: back, actor, againOf: null });
  return asked.ok ? deps.approvals.propose(asked.value) : asked;
}
