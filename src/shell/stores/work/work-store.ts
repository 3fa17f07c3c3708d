import { err, LIMITS, ok, type Instant, type Result } from "#base";
import type { KeptRequest, LedgerEntry, RequestRefusal, RunRecord, WorkRefusal } from "#model";
import type { GrantedRun, RunChange, WorkStore } from "#ports";
import type { Sqlite } from "../sqlite.ts";
import { beginConsultWithin } from "../consults/consult-store.ts";
import { BATCH_GRANT, BATCH_GRANTS } from "../batches/grants.ts";
import { guarded, guardedValue, readable } from "../store-fault.ts";
import type { ApprovalStoreParts } from "../approvals/spend.ts";
import { beginsWork, heldUntil, lapseWithin } from "../approvals/lapse.ts";
import {
  draftsOf,
  isOver,
  entryOf,
  entryParams,
  grantOf,
  runOf,
  runParams,
  type GrantRow,
  type LedgerRow,
  type RunRow,
} from "./rows.ts";
import { executionHash, executionsOf, createRunNetworkStore } from "./executions.ts";
import { askWithin, leaveQuestion, countInDoubt, findSettlement, runsInDoubt, settle } from "./settlements.ts";

type WorkStoreParts = ApprovalStoreParts;

/** Runs and ledgers on a migrated `silas.db`. Every change is one transaction with its audit entry. */
export function createWorkStore(parts: WorkStoreParts): WorkStore {
  const { db } = parts;
  const limit = LIMITS.pageRows;
  return {
    waiting: async () =>
      guardedValue(() =>
        [ALL_GRANTS, BATCH_GRANTS]
          .flatMap((grants) =>
            db.all<GrantRow>(`${grants} ORDER BY l.started_at, l.lineage_id LIMIT :limit`, { limit }),
          )
          .map(grantOf)
          .toSorted(oldestFirst),
      ),
    grantOf: async (runId) => guardedValue(() => readGrants(db, [runId]).get(runId) ?? null),
    grantsOf: async (runIds) => guardedValue(() => readGrants(db, runIds)),
    tasksOf: async (requestId) => guardedValue(() => taskGrants(db, requestId)),
    find: async (runId) => guardedValue(() => find(db, runId)),
    doneBefore: async (workItemId, at) => guardedValue(() => lastDone(db, { workItemId, at })),
    list: async (asked) => guardedValue(() => listed(db, asked)),
    hasEnded: async (runId) => guardedValue(() => hasEnded(db, runId)),
    heldUntil: async (run) => guardedValue(() => heldUntil(db, run)),
    unfinished: async () =>
      guardedValue(() =>
        readable(
          db.all<RunRow>(
            `SELECT record FROM work_runs INDEXED BY work_runs_open
             WHERE status IN ('pending', 'running', 'verifying') ORDER BY started_at, run_id`,
          ),
          runOf,
        ),
      ),
    ledger: async (runId) =>
      guardedValue(() =>
        db
          .all<LedgerRow>("SELECT entry FROM work_ledger WHERE run_id = :runId ORDER BY position", { runId })
          .map(entryOf),
      ),
    begin: async (change) => guarded(() => db.transaction(() => begin(parts, change))),
    save: async (change) => guarded(() => db.transaction(() => save(parts, change))),
    ask: async (change, request) => guarded(() => db.transaction(() => ask(parts, { change, request }))),
    executions: async (requestId) => guardedValue(() => executionsOf(db, requestId)),
    ...createRunNetworkStore(parts),
    inDoubt: async () => guardedValue(() => runsInDoubt(db)),
    countInDoubt: async () => guardedValue(() => countInDoubt(db)),
    settlementOf: async (runId) => guardedValue(() => findSettlement(db, runId)),
    settle: async (settled) => guarded(() => db.transaction(() => settle(parts, settled))),
  };
}

const NEWEST = "ORDER BY started_at DESC, run_id DESC LIMIT :limit";
/** As many characters from the end of an id as the column `id_end` holds, the last one first. */
const ID_END_CHARS = 8;
/** Sorts behind every character of an id. */
const BEHIND = "~";
/** Each part walks an index and stops when it has enough: ids that were made later sort behind earlier ones. */
const HAS_ID = `run_id IN (
  SELECT run_id FROM (SELECT run_id FROM work_runs WHERE run_id >= :idPart AND run_id < :behind
    AND (:status IS NULL OR shown_status = :status) ORDER BY run_id DESC LIMIT :limit)
  UNION SELECT run_id FROM work_runs WHERE id_end >= :end AND id_end < :endBehind
    AND substr(run_id, -length(:idPart)) = :idPart
  UNION SELECT run_id FROM (SELECT r.run_id FROM decision_tokens g CROSS JOIN work_runs r ON r.token_id = g.token_id
    WHERE g.request_id >= :idPart AND g.request_id < :behind AND (:status IS NULL OR r.shown_status = :status)
    ORDER BY g.request_id DESC LIMIT :limit))`;
const LISTS = {
  all: `SELECT record FROM work_runs ${NEWEST}`,
  status: `SELECT record FROM work_runs WHERE shown_status = :status ${NEWEST}`,
  id: `SELECT record FROM work_runs WHERE ${HAS_ID} AND (:status IS NULL OR shown_status = :status) ${NEWEST}`,
} as const;

function listed(db: Sqlite, asked: Parameters<WorkStore["list"]>[0]): readonly RunRecord[] {
  const { status, idPart } = asked;
  const limit = Math.min(asked.limit, LIMITS.pageRows);
  if (idPart === undefined) {
    const found =
      status === undefined ? db.all<RunRow>(LISTS.all, { limit }) : db.all<RunRow>(LISTS.status, { status, limit });
    return readable(found, runOf);
  }
  const end = Array.from(idPart.slice(-ID_END_CHARS)).toReversed().join("");
  const params = { idPart, behind: idPart + BEHIND, end, endBehind: end + BEHIND, status: status ?? null, limit };
  return readable(db.all<RunRow>(LISTS.id, params), runOf);
}

const RUN_OF_REQUEST = `(
  SELECT own_use.lineage_id FROM decision_tokens own
  JOIN approval_tokens own_token ON own_token.token_id = own.token_id
  JOIN approval_uses own_use ON own_use.nonce = own_token.nonce
  WHERE own.request_id = d.request_id AND own.position = 0)`;
/** Besides its own plan, a request of a project granted its tasks. */
const OF_PROJECT = "d.type = 'project'";

/** Only the request's own plan runs by itself. A projection that somebody broke names no executor, and runs nothing. */
const grantsFrom = (tables: string): string => `
  SELECT l.lineage_id AS run_id, d.request_id, l.work_item_id, a.token_id, l.content_hash AS plan_hash,
    l.started_at AS granted_at, CASE WHEN g.position > 0 THEN ${RUN_OF_REQUEST} END AS project_run_id
  FROM ${tables}
  WHERE d.kind = 'plan_approval' AND d.executor_kind IN ('steps', 'model')`;

// All say in which order the tables are read: what waits begins with the attempts that nothing has run.
const ALL_GRANTS = grantsFrom(`unbegun_attempts w
  CROSS JOIN attempt_lineages l ON l.lineage_id = w.lineage_id
  CROSS JOIN approval_uses u ON u.lineage_id = l.lineage_id
  CROSS JOIN approval_tokens a ON a.nonce = u.nonce
  CROSS JOIN decision_tokens g ON g.token_id = a.token_id AND g.position = 0
  CROSS JOIN request_headings d ON d.request_id = g.request_id`);
const ONE_GRANT = grantsFrom(`attempt_lineages l
  CROSS JOIN approval_uses u ON u.lineage_id = l.lineage_id
  CROSS JOIN approval_tokens a ON a.nonce = u.nonce
  CROSS JOIN decision_tokens g ON g.token_id = a.token_id
  CROSS JOIN request_headings d ON d.request_id = g.request_id AND (g.position = 0 OR ${OF_PROJECT})`);
const TASK_GRANTS = grantsFrom(`request_headings d
  CROSS JOIN decision_tokens g ON g.request_id = d.request_id AND g.position > 0 AND ${OF_PROJECT}
  CROSS JOIN approval_tokens a ON a.token_id = g.token_id
  CROSS JOIN approval_uses u ON u.nonce = a.nonce
  CROSS JOIN attempt_lineages l ON l.lineage_id = u.lineage_id`);

const oldestFirst = (a: GrantedRun, b: GrantedRun): number => (a.grantedAt + a.runId < b.grantedAt + b.runId ? -1 : 1);

function readGrants(db: Sqlite, runIds: readonly string[]): ReadonlyMap<string, GrantedRun> {
  const ids = JSON.stringify(runIds);
  const rows = [BATCH_GRANT, ONE_GRANT].flatMap((grant) =>
    db.all<GrantRow>(`${grant} AND l.lineage_id IN (SELECT value FROM json_each(:ids))`, { ids }),
  );
  return new Map(rows.map((row) => [row.run_id, grantOf(row)]));
}

const taskGrants = (db: Sqlite, requestId: string): readonly GrantedRun[] =>
  db.all<GrantRow>(`${TASK_GRANTS} AND d.request_id = :requestId ORDER BY g.position`, { requestId }).map(grantOf);

function lastDone(db: Sqlite, asked: { readonly workItemId: string; readonly at: Instant }): RunRecord | null {
  const row = db.get<RunRow>(
    `SELECT record FROM work_runs WHERE work_item_id = :workItemId AND status = 'done' AND ended_at <= :at
     ORDER BY ended_at DESC, run_id DESC LIMIT 1`,
    asked,
  );
  return row === null ? null : runOf(row);
}

function find(db: Sqlite, runId: string): RunRecord | null {
  const row = db.get<RunRow>("SELECT record FROM work_runs WHERE run_id = :runId", { runId });
  return row === null ? null : runOf(row);
}

const ENDED_SQL = `SELECT 1 AS found FROM audit_entries
  WHERE subject_kind = 'run' AND subject_id = :runId AND event = 'run_ended' LIMIT 1`;

const hasEnded = (db: Sqlite, runId: string): boolean => db.get(ENDED_SQL, { runId }) !== null;

type Parts = WorkStoreParts;

function begin({ db, recordAct }: Parts, change: RunChange): Result<void, WorkRefusal> {
  const { run, entries } = change;
  if (find(db, run.runId) !== null) return err({ code: "run_exists", runId: run.runId });
  const held = mayBegin(db, change);
  if (!held.ok) return held;
  insert(db, "work_runs", runParams(run));
  for (const entry of entries) keepEntry(db, entry);
  for (const draft of draftsOf(change, () => executionHash(db, run.runId))) recordAct(draft);
  return ok();
}

function save(parts: Parts, change: RunChange): Result<void, WorkRefusal> {
  const { db, recordAct } = parts;
  const { run, entries } = change;
  const { runId } = run;
  const before = find(db, runId);
  if (before === null) return err({ code: "run_unknown", runId });
  if (isOver(before)) return err({ code: "run_over", runId, status: before.status });
  const held = mayBegin(db, change);
  if (!held.ok) return held;
  leaveQuestion(parts, { before, change });
  const { run_id, status, attempts, record, ended_at } = runParams(run);
  db.run(
    `UPDATE work_runs SET status = :status, attempts = :attempts, record = :record, ended_at = :ended_at
     WHERE run_id = :run_id`,
    { run_id, status, attempts, record, ended_at },
  );
  for (const entry of entries) keepEntry(db, entry);
  for (const draft of draftsOf(change, () => executionHash(db, runId))) recordAct(draft);
  if (change.consult !== undefined) beginConsultWithin(parts, change.consult);
  return ok();
}

/** INVARIANT: nothing is recorded as begun, and so nothing begins, on an approval that no longer holds. [WORK-13] */
function mayBegin(db: Sqlite, change: RunChange): Result<void, WorkRefusal> {
  const reason = beginsWork(change) ? lapseWithin(db, change) : null;
  return reason === null ? ok() : err({ code: "approval_lapsed", runId: change.run.runId, reason });
}

type Asking = { readonly change: RunChange; readonly request: KeptRequest };

function ask(parts: Parts, { change, request }: Asking): Result<void, WorkRefusal | RequestRefusal> {
  const saved = save(parts, change);
  return saved.ok ? askWithin(parts, { run: change.run, request }) : saved;
}

/** A step is added when it begins and completed once; the file itself refuses anything else. */
function keepEntry(db: Sqlite, entry: LedgerEntry): void {
  const params = entryParams(entry);
  const { runId } = entry;
  if (entry.state === "started") {
    const before = db.get<{ readonly count: number }>(
      "SELECT count(*) AS count FROM work_ledger WHERE run_id = :runId",
      { runId },
    );
    return insert(db, "work_ledger", { ...params, position: (before?.count ?? 0) + 1 });
  }
  const { execution_id, state, entry: text } = params;
  db.run("UPDATE work_ledger SET state = :state, entry = :text WHERE execution_id = :execution_id", {
    execution_id,
    state,
    text,
  });
}

function insert(db: Sqlite, table: "work_runs" | "work_ledger", params: Record<string, string | number | null>): void {
  const columns = Object.keys(params);
  db.run(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((name) => `:${name}`).join(", ")})`,
    params,
  );
}
