import { assert } from "#base";
import { keptAct, type ApprovalUse, type AuditDraft, type KeptRequest } from "#model";
import type { AlsoGranted, MadeDecision, Spending } from "#ports";

/** The audit entries of the approval store. */

type Asked = Pick<KeptRequest, "requestId" | "planHash" | "workItemId">;

const askedOf = ({ requestId, planHash, workItemId }: Asked) => ({
  request_id: requestId,
  plan_hash: planHash,
  work_item_id: workItemId,
});

export const requestedDraft = (decision: KeptRequest): AuditDraft => ({
  event: "approval_requested",
  data: { ...askedOf(decision), risk: decision.riskLevel },
  at: decision.createdAt,
  actor: decision.proposedBy,
});

export const declinedDraft = (decision: Asked, { at, actor }: MadeDecision): AuditDraft => ({
  event: "approval_declined",
  data: askedOf(decision),
  at,
  actor,
});

export const replacedDraft = (decision: Asked, { at, actor }: MadeDecision): AuditDraft => ({
  event: "approval_replaced",
  data: askedOf(decision),
  at,
  actor,
});

export const expiredDraft = (decision: Asked, at: MadeDecision["at"]): AuditDraft => ({
  event: "approval_expired",
  data: askedOf(decision),
  at,
  actor: { kind: "system" },
});

export function spentDraft(spending: Spending, use: ApprovalUse): AuditDraft {
  const { token, judged, workItemId, at, actor } = spending;
  const used = {
    token_id: token.tokenId,
    key_id: token.keyId,
    use_number: use.useNumber,
    lineage_id: use.attemptLineage,
  };
  if (judged === null) {
    return {
      event: "approval_used",
      data: { ...used, plan_hash: token.planHash, content_hash: use.contentHash },
      at,
      actor,
    };
  }
  return {
    event: "approval_granted",
    data: {
      ...askedOf({ requestId: judged.requestId, planHash: token.planHash, workItemId }),
      ...used,
      friction: [...spending.friction],
    },
    at,
    actor,
  };
}

/** An approval that was given for later: nothing of it is used yet. */
export function standingDraft({ judged, at, actor }: Spending, { token, workItemId }: AlsoGranted): AuditDraft {
  assert(judged !== null, "an approval for later comes with the decision of a request");
  return {
    event: "approval_standing",
    data: {
      ...askedOf({ requestId: judged.requestId, planHash: token.planHash, workItemId }),
      act_id: keptAct(token.tokenId),
      token_id: token.tokenId,
      key_id: token.keyId,
      uses_max: token.maxExecutions,
    },
    at,
    actor,
  };
}
