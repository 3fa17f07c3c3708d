import { ok, type Sha256Hex } from "#base";
import type { StreamEvent, ToldStream } from "#model";
import type { StreamStore } from "#ports";
import type { RecordAct } from "../audit/log.ts";
import { APPROVED_GOALS, approvedOf, type ApprovedRow } from "../goals/approved-rows.ts";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue, whole } from "../store-fault.ts";

type StreamStoreParts = { readonly db: Sqlite; readonly recordAct: RecordAct };

/** The conversation as approvals and the chain of a migrated `silas.db` tell it. */
export function createStreamStore({ db, recordAct }: StreamStoreParts): StreamStore {
  return {
    approved: async () => guardedValue(() => db.all<ApprovedRow>(APPROVED_STREAMS).map(approvedOf)),
    told: async () => guardedValue(() => toldIn(db)),
    tell: async ({ after, draft }) =>
      guarded(() =>
        db.transaction(() => {
          if ((toldIn(db)?.seq ?? 0) === after) recordAct(draft);
          return ok();
        }),
      ),
  };
}

/** Of two in one moment the one with the later id, as for one goal. */
const APPROVED_STREAMS = `SELECT s.* FROM (${APPROVED_GOALS}) s
  CROSS JOIN pending_decisions p ON p.request_id = s.request_id
  WHERE json_extract(p.projection, '$.agent') = 'stream'
  ORDER BY p.decided_at DESC, p.request_id DESC`;

const TOLD = `SELECT seq, event, json_extract(entry, '$.data.goal_id') AS goal_id,
    json_extract(entry, '$.data.request_id') AS request_id, json_extract(entry, '$.data.plan_hash') AS plan_hash,
    json_extract(entry, '$.data.reason') AS reason
  FROM audit_entries WHERE subject_kind = 'stream' AND subject_id IS NULL ORDER BY seq DESC LIMIT 1`;

type ToldRow = {
  readonly seq: number;
  readonly event: StreamEvent;
  readonly goal_id: string;
  readonly request_id: string;
  readonly plan_hash: string;
  readonly reason: string | null;
};

function toldIn(db: Sqlite): ToldStream | null {
  const row = db.get<ToldRow>(TOLD);
  if (row === null) return null;
  const { seq, event, goal_id: goalId, request_id: requestId, reason } = row;
  const planHash = whole(row.plan_hash ?? undefined, "WORK-06 an entry about the conversation is whole") as Sha256Hex;
  return { seq, state: TOLD_STATES[event], goal: { goalId, requestId, planHash }, reason };
}

const TOLD_STATES: { readonly [E in StreamEvent]: ToldStream["state"] } = {
  stream_loaded: "in_force",
  stream_replaced: "in_force",
  stream_taken_out: "out",
  stream_unverified: "unverified",
};
