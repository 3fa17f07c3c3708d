import { err, LIMITS, ok, type Result } from "#base";
import type { KeptApproval, KeptRequest, StoreFault } from "#model";
import type { RequestHeading } from "#ports";
import type { Sqlite } from "../sqlite.ts";
import { readable } from "../store-fault.ts";
import { isOnRecord, isVoid, recordedUses } from "./recorded-uses.ts";
import { REQUESTS_SQL, requestOf, tokenOf, useOf, type RequestRow, type TokenRow, type UseRow } from "./rows.ts";

export function findRequest(db: Sqlite, requestId: string): KeptRequest | null {
  const row = db.get<RequestRow>(`${REQUESTS_SQL} WHERE d.request_id = :requestId`, { requestId });
  return row === null ? null : requestOf(row);
}

type HeadingRow = Pick<RequestRow, "request_id" | "kind" | "plan_hash" | "intent"> & {
  readonly projection: string | null;
};

/** The tasks of a project are in its projection; of everything else the heading says enough. */
export function readHeadings(db: Sqlite, requestIds: readonly string[]): ReadonlyMap<string, RequestHeading> {
  const rows = db.all<HeadingRow>(
    `SELECT h.request_id, h.kind, h.plan_hash, h.intent, CASE h.type WHEN 'project' THEN
       (SELECT d.projection FROM pending_decisions d WHERE d.request_id = h.request_id) END AS projection
     FROM request_headings h WHERE h.request_id IN (SELECT value FROM json_each(:ids))`,
    { ids: JSON.stringify(requestIds) },
  );
  return new Map(
    rows.map(({ request_id: id, kind, plan_hash: planHash, intent, projection }) => [
      id,
      { kind: kind as KeptRequest["kind"], planHash: planHash as KeptRequest["planHash"], intent, projection },
    ]),
  );
}

export function listRequests(db: Sqlite, states: readonly KeptRequest["state"][]): readonly KeptRequest[] {
  // One state at a time, so that each is read from the end of the index and not sorted with all that was ever decided.
  const rows = states.flatMap((state) =>
    db.all<RequestRow>(
      `${REQUESTS_SQL} WHERE d.state = :state ORDER BY d.created_at DESC, d.request_id DESC LIMIT :limit`,
      { state, limit: LIMITS.pageRows },
    ),
  );
  const newest = rows.toSorted(newestFirst).slice(0, LIMITS.pageRows);
  return readable(newest, requestOf).toReversed();
}

const newestFirst = (a: RequestRow, b: RequestRow): number =>
  a.created_at === b.created_at ? (a.request_id < b.request_id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1;

export function countPending(db: Sqlite): number {
  const counted = db.get<{ readonly count: number }>(
    "SELECT count(*) AS count FROM pending_decisions WHERE state = 'pending'",
  );
  return counted?.count ?? 0;
}

/** An approval whose uses are not those the chain tells of is not handed out: it could be used again. [T6] */
export function findApproval(db: Sqlite, tokenId: string): Result<KeptApproval | null, StoreFault> {
  const row = db.get<TokenRow>("SELECT * FROM approval_tokens WHERE token_id = :tokenId", { tokenId });
  if (row === null) return ok(null);
  const uses = db.all<UseRow>("SELECT * FROM approval_uses WHERE nonce = :nonce ORDER BY use_number", {
    nonce: row.nonce,
  });
  if (!isOnRecord(uses, recordedUses(db, tokenId))) return err({ code: "store_corrupt", retryable: false });
  return ok({ token: tokenOf(row), uses: uses.map(useOf), isVoid: isVoid(db, tokenId) });
}

export function approvalsOf(db: Sqlite, requestId: string): Result<readonly KeptApproval[], StoreFault> {
  const rows = db.all<{ readonly token_id: string }>(
    "SELECT token_id FROM decision_tokens WHERE request_id = :requestId ORDER BY position",
    { requestId },
  );
  const approvals: KeptApproval[] = [];
  for (const { token_id: tokenId } of rows) {
    const found = findApproval(db, tokenId);
    if (!found.ok) return found;
    if (found.value !== null) approvals.push(found.value);
  }
  return ok(approvals);
}
