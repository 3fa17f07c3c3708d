import { LIMITS, type Instant } from "#base";
import type { DecisionDigest, DecisionRow, DigestLimits } from "#model";
import type { Sqlite } from "../sqlite.ts";
import { readable } from "../store-fault.ts";
import { actorOf } from "./rows.ts";

type LightRow = {
  readonly request_id: string;
  readonly kind: string;
  readonly intent: string;
  readonly risk_level: string;
  readonly created_at: string;
  readonly active_since: string | null;
  readonly expires_at: string | null;
  readonly state: string;
  readonly decided_at: string | null;
  readonly decided_by: string | null;
  readonly again_of: string | null;
};

/** Every column here is in an index of its own query, so that no card and no projection is read from the disk. */
const LIGHT = `request_id, kind, intent, risk_level, created_at, active_since, expires_at, state, decided_at, decided_by,
  again_of`;

export const DIGEST_SQL = {
  pending: `SELECT ${LIGHT} FROM pending_decisions INDEXED BY pending_decisions_rows
    WHERE state = 'pending' ORDER BY created_at, request_id LIMIT :limit`,
  missed: `SELECT ${LIGHT} FROM pending_decisions AS missed INDEXED BY pending_decisions_rows
    WHERE state = 'expired' AND NOT EXISTS (SELECT 1 FROM pending_decisions WHERE again_of = missed.request_id)
    ORDER BY created_at DESC, request_id DESC LIMIT :limit`,
  decided: `SELECT ${LIGHT} FROM pending_decisions INDEXED BY pending_decisions_decided
    WHERE state IN ('approved', 'declined') ORDER BY decided_at DESC, request_id DESC LIMIT :limit`,
  weighed: `SELECT active_since, decided_at FROM pending_decisions INDEXED BY pending_decisions_weighed
    WHERE state IN ('approved', 'declined') AND risk_level <> 'low' AND active_since IS NOT NULL
    ORDER BY decided_at DESC, request_id DESC LIMIT :limit`,
} as const;

/** The lists of all requests: the work is that of the rows that are shown, however many were decided before. */
export function readDigest(db: Sqlite, limits: DigestLimits): DecisionDigest {
  const rows = (sql: string, limit: number) => readable(db.all<LightRow>(sql, { limit }), rowOf);
  return {
    pending: rows(DIGEST_SQL.pending, LIMITS.pendingDecisions),
    missed: rows(DIGEST_SQL.missed, limits.missed),
    decided: rows(DIGEST_SQL.decided, limits.decided),
    weighed: db
      .all<{ readonly active_since: Instant; readonly decided_at: Instant }>(DIGEST_SQL.weighed, {
        limit: limits.weighed,
      })
      .map(({ active_since: activeSince, decided_at: decidedAt }) => ({ activeSince, decidedAt })),
  };
}

const rowOf = (row: LightRow): DecisionRow => ({
  requestId: row.request_id,
  kind: row.kind as DecisionRow["kind"],
  intent: row.intent,
  riskLevel: row.risk_level as DecisionRow["riskLevel"],
  createdAt: row.created_at as Instant,
  activeSince: row.active_since as Instant | null,
  expiresAt: row.expires_at as Instant | null,
  state: row.state as DecisionRow["state"],
  decidedAt: row.decided_at as Instant | null,
  decidedBy: row.decided_by === null ? null : actorOf(row.decided_by),
  againOf: row.again_of,
});
