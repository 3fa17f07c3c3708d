import { err, ok, type Result } from "#base";
import {
  escalationReplySchema,
  readPayload,
  tiersOf,
  type KeptRequest,
  type ShownPayload,
  type StoreFault,
} from "#model";
import type { KeptConnection, WideningOutcome } from "#ports";
import { holdsApproval, signedAnswer } from "../keys/signed-request.ts";
import { draftFor, type ConnectionDeps } from "./deps.ts";
import { wipe, type LentSecrets } from "./lent.ts";
import { keepSecrets } from "./secrets-of.ts";
import { beginSetup, loadApproved, type LiveSetup, type SetupEnd, type SetupOrder } from "./setup.ts";

type Asked = Extract<ShownPayload, { readonly kind: "permission_escalation" }>;
/** A wider sign-in that was approved: what for, by which token, and for how long. */
type Widening = {
  readonly order: SetupOrder;
  readonly asked: Asked;
  readonly requestId: string;
  readonly tokenId: string;
  readonly duration: "lasting" | "once";
};
type BegunWidening = { readonly widening: Widening; readonly setup: LiveSetup };

/**
 * Begins the wider sign-in that a decision approved, and no second one. What the connection has stays as it is until that
 * has worked. Null when nothing was begun; what cannot be begun has ended, and its run is told so. [PERM-04]
 */
export async function beginWidening(
  deps: ConnectionDeps,
  request: KeptRequest,
): Promise<Result<BegunWidening | null, StoreFault>> {
  const { requestId, tokenId } = request;
  const read = readPayload("permission_escalation", request.projection);
  if (!read.ok || read.value.payload.kind !== "permission_escalation" || tokenId === null) return ok(null);
  const { payload: asked, subjectId } = read.value;
  const found = await deps.store.find(asked.connection_id);
  if (!found.ok) return found;
  if (found.value === null) return ok(null);
  const approved = await holdsApproval(deps, { request, subjectId });
  const answer = await signedAnswer(deps, tokenId);
  if (!approved.ok) return approved;
  if (!answer.ok) return answer;
  const { record } = found.value;
  const isActive = record.status === "active" && asked.tree_digest === found.value.treeDigest;
  // What is not widened keeps its state, wherever Silas ends.
  const of = {
    ...found.value,
    record: isActive ? { ...record, status: "connecting" as const } : record,
    widens: requestId,
  };
  const draft = draftFor(deps, {
    of,
    event: "connection_setup_begun",
    data: { request_id: requestId, token_id: tokenId },
  });
  const begun = await deps.store.begin(requestId, of, draft);
  if (!begun.ok) return begun;
  if (!begun.value) return ok(null);
  const isOnce = escalationReplySchema.safeParse(answer.value).success;
  const loaded = approved.value && isActive ? await loadApproved(deps, of) : err("it is not what was approved");
  if (!loaded.ok) {
    await endWidening(deps, { of: found.value, requestId, reason: "not_begun" });
    return ok(null);
  }
  const order: SetupOrder = {
    of,
    ...loaded.value,
    hint: of.hint,
    permissions: of.record.permissionsGranted,
    incremental: asked.requested_permissions,
  };
  const widening: Widening = { order, asked, requestId, tokenId, duration: isOnce ? "once" : "lasting" };
  return ok({ widening, setup: beginSetup(deps, order) });
}

type Ending = { readonly of: KeptConnection; readonly requestId: string; readonly reason: string };

/** It was approved and came to nothing: the connection is as it was. */
export async function endWidening(
  deps: ConnectionDeps,
  { of, requestId, reason }: Ending,
): Promise<Result<void, StoreFault>> {
  const { status } = of.record;
  const record = { ...of.record, status: status === "connecting" ? ("active" as const) : status };
  const draft = draftFor(deps, { of, event: "connection_not_widened", data: { request_id: requestId, reason } });
  const ended = await deps.store.widened({
    requestId,
    outcome: "failed",
    connection: { ...of, record, widens: null },
    draft,
  });
  deps.review.changed();
  return ended;
}

type Settling = { readonly widening: Widening; readonly end: SetupEnd; readonly lent: LentSecrets };

/** Keeps what became of a wider sign-in: the record grows, or the call that asked is lent it, or nothing changes. */
export async function settleWidening(
  deps: ConnectionDeps,
  { widening, end, lent }: Settling,
): Promise<Result<void, StoreFault>> {
  const { order, asked, requestId, duration } = widening;
  const fail = (reason: string) => endWidening(deps, { of: order.of, requestId, reason });
  if (end.kind === "cancelled") return fail("cancelled");
  if (end.kind === "failed") return fail(end.failure.failure_type);
  const { completion, handed } = end;
  if (!asked.requested_permissions.every((one) => completion.permissions_granted.includes(one))) {
    wipe(handed);
    return fail("permission_not_given");
  }
  if (duration === "once") {
    const { run_id: runId, step, connection_id: connectionId, requested_permissions: permissions } = asked;
    lent.lend({ runId, stepIndex: step - 1 }, { connectionId, permissions, secrets: handed });
    return keep(deps, { widening, outcome: "once", connection: order.of });
  }
  const stored = await keepSecrets(deps, { of: order.of, manifest: order.manifest, handed });
  if (!stored.ok) return fail("secret_not_kept");
  const granted = [...new Set([...order.of.record.permissionsGranted, ...asked.requested_permissions])];
  const { token_expires_at: tokenExpiresAt, refresh_token_expires_at: refreshes } = completion;
  const record = {
    ...order.of.record,
    permissionsGranted: granted,
    permissions: tiersOf(granted),
    tokenExpiresAt,
    refreshTokenExpiresAt: refreshes ?? order.of.record.refreshTokenExpiresAt,
  };
  return keep(deps, { widening, outcome: "granted", connection: { ...order.of, record } });
}

type Keeping = {
  readonly widening: Widening;
  readonly outcome: Exclude<WideningOutcome, "failed">;
  readonly connection: KeptConnection;
};

function keep(deps: ConnectionDeps, { widening, outcome, connection: of }: Keeping): Promise<Result<void, StoreFault>> {
  const { requestId, tokenId } = widening;
  const signed = { request_id: requestId, token_id: tokenId };
  const draft =
    outcome === "once"
      ? draftFor(deps, { of, event: "connection_widened_once", data: signed })
      : draftFor(deps, {
          of,
          event: "connection_widened",
          data: { ...signed, permissions: of.record.permissionsGranted.length },
        });
  const connection = { ...of, record: { ...of.record, status: "active" as const }, widens: null };
  return deps.store.widened({ requestId, outcome, connection, draft });
}
