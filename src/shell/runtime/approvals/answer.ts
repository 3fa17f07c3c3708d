import { assert, err, ok, type Instant, type Result, type Sha256Hex } from "#base";
import type { ApprovalDecision, AuditActor, Friction, KeptRequest, KeyId, OwnerReply, RequestRefusal } from "#model";
import type { ApprovalsDeps } from "./propose.ts";

type Approving = {
  readonly shownHash: Sha256Hex;
  readonly friction: readonly Friction[];
  readonly keyId: KeyId;
  readonly answer?: OwnerReply | undefined;
};

/** An approval as `#policy` judges it. */
export const decisionOf = ({ shownHash, friction, keyId, answer }: Approving): ApprovalDecision => ({
  verdict: "approved",
  approvalStrength: "tap",
  friction: [...friction],
  keyId,
  signature: null,
  shownHash,
  conditions: answer === undefined ? {} : { answer },
});

/** An answer to a request that is over says what became of it. */
export function stillPending(request: KeptRequest): Result<void, RequestRefusal> {
  const { requestId, state, decidedAt, decidedBy, replacedBy } = request;
  if (state === "pending") return ok();
  assert(decidedAt !== null, "what is decided says when");
  return err({ code: "already_decided", requestId, state, decidedAt, decidedBy, replacedBy });
}

type Refused = {
  readonly request: KeptRequest;
  readonly actor: AuditActor;
  readonly at: Instant;
  readonly reason: string;
};

/** Every failed approval is in the chain. That the record fails too must not hide the refusal itself. [FLOW-05] */
export async function recordRefusal(
  { audit }: Pick<ApprovalsDeps, "audit">,
  { request, actor, at, reason }: Refused,
): Promise<void> {
  const { requestId, planHash, workItemId } = request;
  const data = { request_id: requestId, plan_hash: planHash, work_item_id: workItemId, reason };
  await audit.append({ event: "approval_refused", data, at, actor });
}
