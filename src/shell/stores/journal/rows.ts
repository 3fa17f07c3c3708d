import type { Instant, Sha256Hex } from "#base";
import type {
  AppliedOperation,
  ChangeUnit,
  JournalCommand,
  JournalRecord,
  OperationId,
  RecordId,
  RecordKind,
  RecordOf,
} from "#model";
import type { Sqlite, SqlParams } from "../sqlite.ts";
import { searchableOf } from "./record-words.ts";
import { indexedCopy } from "./search-words.ts";

/** The columns every query of records selects; the rest of the table is derived from them. */
export const RECORD_COLUMNS =
  "records.id, records.kind, records.body, records.created_at, records.updated_at, records.deleted_at," +
  " records.revision, records.host_id, records.counter, records.vector_clock";

export type RecordRow = {
  readonly id: string;
  readonly kind: string;
  readonly body: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
  readonly revision: number;
  readonly host_id: string;
  readonly counter: number;
  readonly vector_clock: string;
};

export function recordOfRow(row: RecordRow): JournalRecord {
  // The row was written by `paramsOfRecord` from a typed record; the checks of the table keep the rest out.
  return {
    id: row.id,
    kind: row.kind,
    body: JSON.parse(row.body),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
    revision: row.revision,
    hostId: row.host_id,
    counter: row.counter,
    vectorClock: JSON.parse(row.vector_clock),
  } as JournalRecord;
}

export function paramsOfRecord(record: JournalRecord): SqlParams {
  const { title, text } = searchableOf(record);
  return {
    id: record.id,
    kind: record.kind,
    body: JSON.stringify(record.body),
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    deleted_at: record.deletedAt,
    revision: record.revision,
    host_id: record.hostId,
    counter: record.counter,
    vector_clock: JSON.stringify(record.vectorClock),
    title_copy: indexedCopy(title),
    text_copy: indexedCopy(text),
  };
}

export function loadRecord(db: Sqlite, id: RecordId): JournalRecord | null {
  const row = db.get<RecordRow>(`SELECT ${RECORD_COLUMNS} FROM records WHERE id = :id`, { id });
  return row === null ? null : recordOfRow(row);
}

/** The records that there are, deleted ones included. */
export function loadRecords(db: Sqlite, ids: readonly RecordId[]): readonly JournalRecord[] {
  return selectRecords(db, {
    where: "id IN (SELECT value FROM json_each(:ids))",
    params: { ids: JSON.stringify(ids) },
  });
}

/** The record unless it is deleted or of another kind than asked for. */
export function loadLive<K extends RecordKind>(
  db: Sqlite,
  { kind, id }: { readonly kind: K; readonly id: RecordId | null },
): RecordOf<K> | null {
  const record = id === null ? null : loadRecord(db, id);
  const found = record !== null && record.deletedAt === null && record.kind === kind;
  return found ? (record as RecordOf<K>) : null;
}

/** What follows `WHERE`, order and limit included; its text is a constant of this room. */
type Selection = { readonly where: string; readonly params?: SqlParams };

/** Records of a constant query, as the kind the query asks for. */
export function selectRecords<K extends RecordKind>(db: Sqlite, { where, params }: Selection): readonly RecordOf<K>[] {
  const rows = db.all<RecordRow>(`SELECT ${RECORD_COLUMNS} FROM records WHERE ${where}`, params);
  return rows.map(recordOfRow) as RecordOf<K>[];
}

type OperationDbRow = {
  readonly operation_id: string;
  readonly command_digest: string;
  readonly command: string;
  readonly at: string;
  readonly subject_id: string | null;
  readonly before_images: string;
  readonly revisions: string;
  readonly undone_by: string | null;
};

export function loadOperation(db: Sqlite, id: OperationId): AppliedOperation | null {
  const row = db.get<OperationDbRow>("SELECT * FROM operations WHERE operation_id = :id", { id });
  if (row === null) return null;
  const revisions = JSON.parse(row.revisions) as readonly (readonly [RecordId, number])[];
  return {
    operationId: row.operation_id as OperationId,
    commandDigest: row.command_digest as Sha256Hex,
    command: JSON.parse(row.command) as JournalCommand,
    at: row.at as Instant,
    subjectId: row.subject_id as RecordId | null,
    recordIds: revisions.map(([recordId]) => recordId),
    before: JSON.parse(row.before_images) as readonly JournalRecord[],
    revisions: new Map(revisions),
    undoneBy: row.undone_by as OperationId | null,
  };
}

/** Links are the one kind with a payload type of its own; both replicate, so the origin is `sync`. [BATCHID-03] */
export const payloadTypeOf = (kind: RecordKind): string => (kind === "link" ? "entryLink" : "journalEntity");

export function unitOf(record: JournalRecord): ChangeUnit {
  return {
    origin: "sync",
    hostId: record.hostId,
    counter: record.counter,
    payloadType: payloadTypeOf(record.kind),
    payloadId: record.id,
  };
}
