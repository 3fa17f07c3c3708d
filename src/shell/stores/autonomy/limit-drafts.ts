import { err, ok, sha256Hex, type Instant, type Result } from "#base";
import {
  readPayload,
  valueAfter,
  type AppliedLimit,
  type AuditDraft,
  type KeptRequest,
  type LimitKey,
  type LimitRefused,
  type StoredToken,
} from "#model";
import type { Spending } from "#ports";

/** What the stores record about limits, in one place. */

type Changing = { readonly spending: Spending; readonly newest: (key: LimitKey) => AppliedLimit | null };

/**
 * One entry for each limit that an approval changes. A limit that is not as the card said refuses all of them: what was
 * signed is a change from exactly that. [AUTO-13] [AUTO-15]
 */
export function limitDrafts({ spending, newest }: Changing): Result<readonly AuditDraft[], LimitRefused> {
  const { limits, judged, token, at, actor } = spending;
  if (limits === undefined || judged === null) return ok([]);
  const drafts: AuditDraft[] = [];
  for (const { key, current_value: from, proposed_value: to, direction } of limits.changes) {
    const configured = limits.configured[key];
    const change = newest(key);
    const current = change === null ? configured : valueAfter(change, configured);
    if (current !== from) return err({ code: "limit_refused", key, reason: "limit_moved" });
    const data = { request_id: judged.requestId, token_id: token.tokenId, key, from, to, configured, direction };
    drafts.push({ event: "limit_changed", data, at, actor });
  }
  return ok(drafts);
}

type Said = Omit<AppliedLimit, "proof" | "at"> & { readonly at: Instant };
type Behind = {
  readonly request: Pick<KeptRequest, "kind" | "state" | "tokenId" | "projection"> | null;
  readonly token: Pick<StoredToken, "planHash"> | null;
};

/** A change as the chain tells it, held against what was signed: a row that was changed on the disk widens nothing. */
export function provenLimit(said: Said, { request, token }: Behind): AppliedLimit {
  const broken: AppliedLimit = { ...said, proof: "broken" };
  if (request === null || token === null || request.kind !== "autonomy_threshold") return broken;
  if (request.state !== "approved" || request.tokenId !== said.tokenId) return broken;
  if (sha256Hex(request.projection) !== token.planHash) return broken;
  const read = readPayload("autonomy_threshold", request.projection);
  if (!read.ok || read.value.payload.kind !== "autonomy_threshold") return broken;
  const isSigned = read.value.payload.changes.some(
    ({ key, current_value: from, proposed_value: to }) => key === said.key && from === said.from && to === said.to,
  );
  return isSigned ? { ...said, proof: "holds" } : broken;
}
