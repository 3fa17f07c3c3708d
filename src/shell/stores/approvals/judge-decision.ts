import { assert, err, ok, type Result } from "#base";
import type { RequestRefusal } from "#model";
import type { MadeDecision } from "#ports";
import type { Opening } from "./rows.ts";

/**
 * Whether a request may still be decided, and about this plan. Asked inside the transaction that decides, so that of
 * two decisions at once one finds the other.
 */
export function stillOpen<R extends Opening>(
  found: R | null,
  { requestId, planHash, at }: Omit<MadeDecision, "actor">,
): Result<R, RequestRefusal> {
  if (found === null) return err({ code: "request_unknown", requestId });
  const { state, decidedAt, decidedBy, replacedBy } = found;
  if (state !== "pending") {
    assert(decidedAt !== null, "what is decided says when");
    return err({ code: "already_decided", requestId, state, decidedAt, decidedBy, replacedBy });
  }
  if (found.expiresAt !== null && found.expiresAt <= at) {
    const over = { state: "expired", decidedAt: found.expiresAt, decidedBy: null, replacedBy: null } as const;
    return err({ code: "already_decided", requestId, ...over });
  }
  if (found.planHash !== planHash) return err({ code: "plan_differs", requestId, planHash: found.planHash });
  return ok(found);
}
