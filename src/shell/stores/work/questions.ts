import { assert, err, ok, type Result } from "#base";
import type { KeptRequest, RequestRefusal, RunRecord } from "#model";
import type { RunChange } from "#ports";
import { declineWithin, proposeWithin } from "../approvals/approval-store.ts";
import { findRequest } from "../approvals/reads.ts";
import type { ApprovalStoreParts } from "../approvals/spend.ts";

/** The request of a run comes and goes with the question it asks, in the transaction of the run. */

type Changing = { readonly before: RunRecord; readonly change: RunChange };

/** What nobody waits for any more is declined, by whoever ended the run or by Silas itself; what was decided stays so. */
export function leaveQuestion(parts: ApprovalStoreParts, { before, change }: Changing): void {
  const { run, at, actor } = change;
  const asked = before.question?.requestId;
  const left = asked === undefined || asked === run.question?.requestId ? null : findRequest(parts.db, asked);
  if (left?.state !== "pending") return;
  const { requestId, planHash } = left;
  // One whose time is over meanwhile is ended as that, by whoever looks next.
  declineWithin(parts, { requestId, planHash, at, actor });
}

export function askWithin(
  parts: ApprovalStoreParts,
  { run, request }: { readonly run: RunRecord; readonly request: KeptRequest },
): Result<void, RequestRefusal> {
  assert(request.requestId === run.question?.requestId, "WORK-24 a run waits for the request it asks");
  const proposed = proposeWithin(parts, request);
  if (!proposed.ok) return proposed;
  const { requestId } = proposed.value.request;
  return proposed.value.isNew ? ok() : err({ code: "request_unknown", requestId });
}
