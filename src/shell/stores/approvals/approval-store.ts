import { err, LIMITS, ok, type Instant, type Result, type Sha256Hex } from "#base";
import { decidedOf, type KeptRequest, type RequestRefusal, type StoreFault } from "#model";
import type { ApprovalStore, Clock, MadeDecision, Proposed } from "#ports";
import { outcomeDrafts } from "../batches/drafts.ts";
import { guarded, guardedValue, unlessReadOnly } from "../store-fault.ts";
import { declinedDraft, expiredDraft, replacedDraft, requestedDraft } from "./drafts.ts";
import { stillOpen } from "./spend.ts";
import { readDigest } from "./digest.ts";
import { approvalsOf, countPending, findApproval, findRequest, listRequests, readHeadings } from "./reads.ts";
import { REQUESTS_SQL, requestOf, requestParams, type RequestRow } from "./rows.ts";
import { spendWithin, type ApprovalStoreParts } from "./spend.ts";
import { readGateNames, readTitles } from "./titles.ts";

/**
 * Requests, approvals and uses on a migrated `silas.db`. Every change is one transaction with its audit entry. Requests
 * whose time is over are ended here, before each read and each new request, so that no caller has to think of it.
 */
export function createApprovalStore(parts: ApprovalStoreParts & { readonly clock: Clock }): ApprovalStore {
  const { db } = parts;
  const { afterExpiring, onExpired } = createExpiry(parts);
  return {
    propose: async (request) => afterExpiring(() => db.transaction(() => proposeWithin(parts, request))),
    find: async (requestId) => afterExpiring(() => ok(findRequest(db, requestId))),
    headings: async (requestIds) => guardedValue(() => readHeadings(db, requestIds)),
    list: async (states) => afterExpiring(() => ok(listRequests(db, states))),
    digest: async (limits) => afterExpiring(() => ok(readDigest(db, limits))),
    countPending: async () => afterExpiring(() => ok(countPending(db))),
    onExpired,
    activate: async (requestId, { at, expiresAt }) =>
      unlessReadOnly(false, () => {
        const begun = db.run(
          `UPDATE pending_decisions SET active_since = :at, expires_at = :expiresAt
           WHERE request_id = :requestId AND state = 'pending' AND active_since IS NULL`,
          { requestId, at, expiresAt },
        );
        return begun > 0;
      }),
    decline: async (decision) => guarded(() => db.transaction(() => declineWithin(parts, decision))),
    replace: async (decision, request) =>
      afterExpiring(() => db.transaction(() => replace(parts, { decision, request }))),
    spend: async (spending) => guarded(() => db.transaction(() => spendWithin(parts, spending))),
    findApproval: async (tokenId) => guarded(() => findApproval(db, tokenId)),
    approvalsOf: async (requestId) => guarded(() => approvalsOf(db, requestId)),
    titlesOf: async (ids) => guardedValue(() => readTitles(db, ids)),
    gateNamesOf: async (runIds) => guardedValue(() => readGateNames(db, runIds)),
  };
}

/** Inside of a transaction that somebody else may have begun. */
export function proposeWithin(
  { db, recordAct }: ApprovalStoreParts,
  request: KeptRequest,
): Result<Proposed, RequestRefusal> {
  const { planHash, againOf } = request;
  const same = db.get<RequestRow>(
    `${REQUESTS_SQL} WHERE (d.plan_hash = :planHash AND d.state = 'pending') OR d.again_of = :againOf`,
    { planHash, againOf },
  );
  if (same !== null) return ok({ request: requestOf(same), isNew: false });
  if (countPending(db) >= LIMITS.pendingDecisions) {
    return err({ code: "too_many_pending", max: LIMITS.pendingDecisions });
  }
  const columns = Object.keys(requestParams(request));
  db.run(
    `INSERT INTO pending_decisions (${columns.join(", ")}) VALUES (${columns.map((name) => `:${name}`).join(", ")})`,
    requestParams(request),
  );
  // What stands in a request's place stands in its series too.
  if (againOf !== null) {
    db.run("UPDATE batch_series SET request_id = :requestId WHERE request_id = :againOf", {
      requestId: request.requestId,
      againOf,
    });
  }
  recordAct(requestedDraft(request));
  return ok({ request, isNew: true });
}

/** Asked before every read, so it must not scan the requests that wait. */
export const OVER_SQL = `SELECT request_id, work_item_id, plan_hash FROM pending_decisions
  INDEXED BY pending_decisions_ending
  WHERE state = 'pending' AND expires_at <= :at ORDER BY expires_at, request_id`;

type OverRow = Pick<RequestRow, "request_id" | "work_item_id" | "plan_hash">;

/** Ends what is over before the work. A database that nobody may write to is read as it is. */
function createExpiry(parts: ApprovalStoreParts & { readonly clock: Clock }) {
  const { db, clock } = parts;
  const listeners: (() => void)[] = [];
  const expireOver = (): void => {
    const at = clock.now();
    // Most of the time nothing is over, and a read takes no write lock.
    if (db.get(OVER_SQL, { at }) === null) return;
    db.transaction(() => ok(expireWithin(parts, at)));
    for (const listener of listeners) listener();
  };
  return {
    onExpired: (listener: () => void) => void listeners.push(listener),
    afterExpiring: <T, E>(work: () => Result<T, E>): Result<T, E | StoreFault> => {
      const expired = unlessReadOnly(undefined, expireOver);
      return expired.ok ? guarded(work) : expired;
    },
  };
}

function expireWithin({ db, recordAct }: ApprovalStoreParts, at: Instant): void {
  // Of these columns alone: a damaged card keeps no other request from ending.
  for (const row of db.all<OverRow>(OVER_SQL, { at })) {
    const { request_id: requestId, work_item_id: workItemId, plan_hash: planHash } = row;
    db.run("UPDATE pending_decisions SET state = 'expired', decided_at = expires_at WHERE request_id = :requestId", {
      requestId,
    });
    recordAct(expiredDraft({ requestId, workItemId, planHash: planHash as Sha256Hex }, at));
  }
}

/** Inside of a transaction that somebody else may have begun. */
export function declineWithin(
  { db, recordAct, queue }: ApprovalStoreParts,
  { outcome = "declined", ...decision }: MadeDecision & { readonly outcome?: "declined" | "edited" },
): Result<KeptRequest, RequestRefusal> {
  const { requestId, at, actor } = decision;
  const open = stillOpen(findRequest(db, requestId), decision);
  if (!open.ok) return open;
  db.run(
    `UPDATE pending_decisions SET state = 'declined', decided_at = :at, decided_by = :actor
     WHERE request_id = :requestId`,
    { requestId, at, actor: JSON.stringify(actor) },
  );
  recordAct((outcome === "edited" ? replacedDraft : declinedDraft)(open.value, decision));
  for (const draft of outcomeDrafts(open.value, { outcome, at, actor })) recordAct(draft);
  queue.send(decidedOf({ requestId, kind: open.value.kind, at, actor }), at);
  return ok({ ...open.value, state: "declined", decidedAt: at, decidedBy: actor });
}

type Replacing = { readonly decision: MadeDecision; readonly request: KeptRequest };

/** The one is over and the other waits, or nothing has changed. */
function replace(parts: ApprovalStoreParts, { decision, request }: Replacing): Result<Proposed, RequestRefusal> {
  const ended = declineWithin(parts, { ...decision, outcome: "edited" });
  return ended.ok ? proposeWithin(parts, request) : ended;
}
