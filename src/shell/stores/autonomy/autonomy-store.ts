import type { Instant } from "#base";
import {
  auditActorSchema,
  familyOf,
  LIMIT_KEYS,
  readPayload,
  type ActionFamily,
  type AppliedLimit,
  type AuditDataOf,
  type DecidedAction,
  type KeptRequest,
  type LimitKey,
} from "#model";
import type { AskedLimits, AutonomyStore } from "#ports";
import type { Sqlite } from "../sqlite.ts";
import { guardedValue, readable, whole, wholeJson } from "../store-fault.ts";
import { batchActions, repairActions, type BatchOutcome } from "./decided-actions.ts";
import { provenLimit } from "./limit-drafts.ts";

/** Decisions and changes of limits, read from the chain and the requests of a migrated `silas.db`. */
export function createAutonomyStore(db: Sqlite): AutonomyStore {
  return {
    decided: async (query) => guardedValue(() => readDecided(db, query)),
    applied: async () => guardedValue(() => LIMIT_KEYS.flatMap((key) => newestLimit(db, key) ?? [])),
    asked: async (most) => guardedValue(() => readable(db.all<AskedRow>(ASKED_SQL, { most }), askedOf)),
  };
}

type Query = { readonly family: ActionFamily; readonly most: number };

const readDecided = (db: Sqlite, { family, most }: Query): readonly DecidedAction[] =>
  family === "move_files"
    ? batchActions(db.all<BatchOutcome>(OUTCOMES_SQL, { most }))
    : repairActions(readable(db.all<RepairRow>(REPAIRS_SQL, { most }), repairOf));

// The chain says what was decided, and the request must bear it out.
const OUTCOMES_SQL = `SELECT json_extract(e.entry, '$.data.request_id') AS requestId,
    json_extract(e.entry, '$.data.outcome') AS outcome, e.at AS at, json_extract(e.entry, '$.actor.kind') AS actor,
    d.state AS state, b.state AS before, h.action AS action,
    CASE WHEN json_valid(d.markdown) THEN json_extract(d.markdown, '$.batch_id') END AS batchId
  FROM audit_entries e
  CROSS JOIN pending_decisions d ON d.request_id = json_extract(e.entry, '$.data.request_id')
  CROSS JOIN request_headings h ON h.request_id = d.request_id
  LEFT JOIN pending_decisions b ON b.request_id = d.again_of
  WHERE e.subject_kind = 'batch_outcome' AND e.subject_id IS NULL ORDER BY e.seq DESC LIMIT :most`;

type RepairRow = { readonly state: string; readonly decided_at: string | null; readonly decided_by: string | null };

const REPAIRS_SQL = `SELECT d.state, d.decided_at, d.decided_by
  FROM audit_entries e
  CROSS JOIN pending_decisions d ON d.request_id = json_extract(e.entry, '$.data.request_id')
  WHERE e.subject_kind = 'goal_asked' AND e.subject_id IS NULL ORDER BY e.seq DESC LIMIT :most`;

const repairOf = ({ state, decided_at, decided_by }: RepairRow) => ({
  state: state as KeptRequest["state"],
  decidedAt: decided_at as Instant | null,
  decidedBy: decided_by === null ? null : actorOf(decided_by),
});

const ACTOR = "CARD-01 whoever proposed or decided is named";
const actorOf = (text: string) => whole(auditActorSchema.safeParse(wholeJson(text, ACTOR)).data, ACTOR);

type LimitRow = {
  readonly at: string;
  readonly data: string;
  readonly kind: string | null;
  readonly state: string | null;
  readonly request_token: string | null;
  readonly projection: string | null;
  readonly plan_hash: string | null;
};

const LIMIT_SQL = `SELECT e.at, json_extract(e.entry, '$.data') AS data, d.kind, d.state, d.token_id AS request_token,
    d.projection, t.plan_hash
  FROM audit_entries e
  LEFT JOIN pending_decisions d ON d.request_id = json_extract(e.entry, '$.data.request_id')
  LEFT JOIN approval_tokens t ON t.token_id = json_extract(e.entry, '$.data.token_id')
  WHERE e.subject_kind = 'limit' AND e.subject_id = :key ORDER BY e.seq DESC LIMIT 1`;

/** The newest change of a limit; also inside of a transaction that somebody else began. */
export function newestLimit(db: Sqlite, key: LimitKey): AppliedLimit | null {
  const row = db.get<LimitRow>(LIMIT_SQL, { key });
  if (row === null) return null;
  const {
    request_id: requestId,
    token_id: tokenId,
    from,
    to,
    configured,
  } = JSON.parse(row.data) as AuditDataOf<"limit_changed">;
  const { kind, state, projection } = row;
  const request =
    kind === null || state === null || projection === null
      ? null
      : {
          kind: kind as KeptRequest["kind"],
          state: state as KeptRequest["state"],
          tokenId: row.request_token,
          projection,
        };
  const token = row.plan_hash === null ? null : { planHash: row.plan_hash as KeptRequest["planHash"] };
  return provenLimit({ key, from, to, configured, requestId, tokenId, at: row.at as Instant }, { request, token });
}

type AskedRow = {
  readonly request_id: string;
  readonly state: string;
  readonly created_at: string;
  readonly decided_at: string | null;
  readonly proposed_by: string;
  readonly projection: string;
};

const ASKED_SQL = `SELECT request_id, state, created_at, decided_at, proposed_by, projection
  FROM pending_decisions INDEXED BY pending_decisions_of_limits
  WHERE kind = 'autonomy_threshold' ORDER BY created_at DESC, request_id LIMIT :most`;

const askedOf = (row: AskedRow): AskedLimits => ({
  requestId: row.request_id,
  family: familyIn(row.projection),
  state: row.state as AskedLimits["state"],
  createdAt: row.created_at as Instant,
  endedAt: row.decided_at as Instant | null,
  proposedBy: actorOf(row.proposed_by).kind,
});

function familyIn(projection: string): ActionFamily | null {
  const read = readPayload("autonomy_threshold", projection);
  return read.ok && read.value.payload.kind === "autonomy_threshold" ? familyOf(read.value.payload.changes) : null;
}
