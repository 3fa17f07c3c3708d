import { err, ok, type Result } from "#base";
import { isPayloadKind, parsePayload, type AuditActor, type RunRecord, type StoreFault } from "#model";
import type { ApprovalsDoor, ApprovalStore, WorkStore } from "#ports";

export type SameDeps = {
  readonly store: Pick<WorkStore, "grantOf">;
  readonly approvals: Pick<ApprovalStore, "find">;
  readonly proposals: Pick<ApprovalsDoor, "propose" | "proposePayload">;
};
type Again = { readonly run: Pick<RunRecord, "runId" | "planHash">; readonly actor: AuditActor };

/** Asks for the same once more; it needs an approval of its own. One that waits already is found, not asked twice. */
export async function proposeSame(
  { store, approvals, proposals }: SameDeps,
  { run, actor }: Again,
): Promise<Result<string, { readonly reason: string } | StoreFault>> {
  const grant = await store.grantOf(run.runId);
  if (!grant.ok) return grant;
  const request = await approvals.find(grant.value?.requestId ?? "");
  if (!request.ok) return request;
  if (request.value === null) return err({ reason: "request_missing" });
  const { kind, markdown, planHash } = request.value;
  // What was approved as a part of more cannot be asked for alone, and all of it would do the other parts again.
  if (planHash !== run.planHash) return err({ reason: "part_of_more" });
  const payload = isPayloadKind(kind) ? parsePayload(markdown) : null;
  if (payload?.ok === false) return err({ reason: payload.error.reason });
  const asked =
    payload === null ? await proposals.propose(markdown, actor) : await proposals.proposePayload(payload.value, actor);
  if (asked.ok) return ok(asked.value.request.requestId);
  const { error } = asked;
  return "retryable" in error ? err(error) : err({ reason: error.code });
}
