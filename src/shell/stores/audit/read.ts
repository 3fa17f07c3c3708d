import { err, ok, type Result } from "#base";
import {
  ownerKeyFromWire,
  type AuditCheckpoint,
  type AuditEntry,
  type AuditHead,
  type AuditQuery,
  type AuditRow,
  type AuditRules,
  type OwnerKeyBody,
  type SignatureHex,
  type StoreFault,
} from "#model";
import type { AuditReader } from "#ports";
import type { Sqlite } from "../sqlite.ts";
import { guarded, guardedValue } from "../store-fault.ts";
import type { HeadsFile } from "./heads.ts";
import { keptHeadOf } from "./marks.ts";
import { verifyChain, type ChainSource } from "./verify.ts";

export type ReadableDb = Pick<Sqlite, "get" | "all" | "columns" | "close">;
export type ReaderParts = { readonly db: ReadableDb; readonly rules: AuditRules; readonly heads: HeadsFile };

const ROWS_AT_ONCE = 1_000;
const PAGE = `SELECT seq, entry, hash FROM audit_entries WHERE seq > :after ORDER BY seq LIMIT ${ROWS_AT_ONCE}`;
const LAST = "SELECT seq, hash FROM audit_entries ORDER BY seq DESC LIMIT 1";
const ROW = "SELECT seq, entry AS text, hash FROM audit_entries";

/** The chain on an open `silas.db`, for reading. */
export function createAuditReader(parts: ReaderParts): AuditReader {
  const { db, rules } = parts;
  const source = sourceOf(parts);
  return {
    head: async () => guardedValue(() => headOf(parts)),
    entries: async (query) => guarded(() => parseRows(rules, readPage(db, query))),
    endedActs: async (actIds) => guardedValue(() => endedActs(db, actIds)),
    verify: async (from) => guardedValue(() => verifyChain({ source, rules }, from)),
    exportLines: async function* () {
      yield* exportOf({ source, rules });
    },
    close: async () => db.close(),
  };
}

/** Signed heads stand right behind the entry they speak of, the keys before all of them. */
function* exportOf(work: { readonly source: ChainSource; readonly rules: AuditRules }): Generator<string> {
  const { source, rules } = work;
  yield rules.renderHeader();
  yield* source.keys().map(rules.renderKey);
  const checkpoints = new Map(source.checkpointsFrom(1).map((one) => [one.seq, one]));
  let head = rules.genesis;
  for (let rows = source.batchAfter(0); rows.length > 0; rows = source.batchAfter(head.seq)) {
    for (const row of rows) {
      yield rules.renderLine(row);
      const checkpoint = checkpoints.get(row.seq);
      const kept = checkpoint === undefined ? null : keptHeadOf(work, checkpoint);
      const { keyId = null, signature = null } = kept ?? {};
      if (kept !== null && keyId !== null && signature !== null) yield rules.renderHead({ ...kept, keyId, signature });
    }
    head = rows.at(-1) ?? head;
  }
  yield rules.renderTrailer(head);
}

export function headOf({ db, rules }: Pick<ReaderParts, "db" | "rules">): AuditHead {
  const [last] = db.columns<[seq: number, hash: string]>(LAST);
  return last === undefined ? rules.genesis : { seq: last[0], hash: last[1] };
}

export function sourceOf({ db, heads }: ReaderParts): ChainSource {
  const one = (rest: string, params = {}) =>
    checkpointOf(db.get<CheckpointRow>(`SELECT * FROM audit_checkpoints ${rest}`, params));
  return {
    batchAfter: (after) =>
      db
        .columns<[seq: number, text: string, hash: string]>(PAGE, { after })
        .map(([seq, text, hash]) => ({ seq, text, hash })),
    firstSeq: () => db.get<{ readonly seq: number }>("SELECT seq FROM audit_entries ORDER BY seq LIMIT 1")?.seq ?? null,
    rowAt: (seq) => db.get<AuditRow>(`${ROW} WHERE seq = :seq`, { seq }),
    checkpointsFrom: (seq) =>
      db
        .all<CheckpointRow>("SELECT * FROM audit_checkpoints WHERE seq >= :seq ORDER BY seq", { seq })
        .flatMap((row) => checkpointOf(row) ?? []),
    findCheckpoint: (id) => one("WHERE checkpoint_id = :id", { id }),
    latestCheckpoint: () => one("ORDER BY seq DESC LIMIT 1"),
    checkpointBefore: (seq) => one("WHERE seq < :seq ORDER BY seq DESC LIMIT 1", { seq }),
    latestSigned: () => one("WHERE signature IS NOT NULL ORDER BY seq DESC LIMIT 1"),
    heads: (fromSeq) => heads.load(fromSeq),
    noted: (fromSeq) => {
      const lines = heads.loadLines(fromSeq);
      return lines.ok ? ok(lines.value.filter(({ head }) => head === null)) : lines;
    },
    keys: () => db.all<OwnerKeyBody>("SELECT * FROM owner_keys ORDER BY enrolled_at, key_id").map(ownerKeyFromWire),
  };
}

type CheckpointRow = {
  readonly checkpoint_id: string;
  readonly seq: number;
  readonly hash: string;
  readonly signature: string | null;
};

function checkpointOf(row: CheckpointRow | null): AuditCheckpoint | null {
  if (row === null) return null;
  const { checkpoint_id: checkpointId, seq, hash, signature } = row;
  return { checkpointId, seq, hash, signature: signature as SignatureHex | null };
}

const ENDED = "event NOT LIKE '%\\_started' ESCAPE '\\'";
const ENDED_ACTS = `SELECT subject_id AS act_id FROM audit_entries
  WHERE subject_kind = 'act' AND subject_id IN (SELECT value FROM json_each(:ids)) AND ${ENDED}`;
/** For a file that is read as it lies there, from before migration 033. */
const ENDED_ACTS_BEFORE_SUBJECTS = `SELECT act_id FROM audit_entries
  WHERE act_id IN (SELECT value FROM json_each(:ids)) AND act_id IS NOT NULL AND ${ENDED}`;

function endedActs(db: ReadableDb, actIds: readonly string[]): ReadonlySet<string> {
  const hasSubjects = db.get("SELECT 1 FROM pragma_table_xinfo('audit_entries') WHERE name = 'subject_id'") !== null;
  const rows = db.all<{ readonly act_id: string }>(hasSubjects ? ENDED_ACTS : ENDED_ACTS_BEFORE_SUBJECTS, {
    ids: JSON.stringify(actIds),
  });
  return new Set(rows.map((row) => row.act_id));
}

/** Without times in the order of the chain; between times in the order of times, which the index of times has. */
function readPage(db: ReadableDb, { beforeSeq, from, to, limit }: AuditQuery): readonly AuditRow[] {
  const before = beforeSeq ?? Number.MAX_SAFE_INTEGER;
  if (from === null && to === null) {
    return db.all<AuditRow>(`${ROW} WHERE seq < :before ORDER BY seq DESC LIMIT :limit`, { before, limit });
  }
  const shown = db.get<{ readonly at: string | null }>("SELECT at FROM audit_entries WHERE seq = :before", { before });
  const shownAt = shown?.at ?? (before > 0 ? LATEST : "");
  const end = to !== null && to <= shownAt ? { endAt: to, endSeq: 0 } : { endAt: shownAt, endSeq: before };
  return db.all<AuditRow>(
    `${ROW} WHERE at >= :from AND (at, seq) < (:endAt, :endSeq) ORDER BY at DESC, seq DESC LIMIT :limit`,
    { from: from ?? "", limit, ...end },
  );
}

/** Sorts behind every time. */
const LATEST = "~";

function parseRows(rules: AuditRules, rows: readonly AuditRow[]): Result<readonly AuditEntry[], StoreFault> {
  const entries: AuditEntry[] = [];
  for (const row of rows) {
    const entry = rules.parse(row);
    if (!entry.ok) return err({ code: "store_corrupt", retryable: false, cause: entry.error });
    entries.push(entry.value);
  }
  return ok(entries);
}
