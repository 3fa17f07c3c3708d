import { assert } from "#base";
import type { JournalRecord } from "#model";
import type { Sqlite } from "../sqlite.ts";
import { paramsOfRecord, payloadTypeOf } from "./rows.ts";

const INSERT = `INSERT INTO records
    (id, kind, body, created_at, updated_at, deleted_at, revision, host_id, counter, vector_clock, title_copy, text_copy)
  VALUES
    (:id, :kind, :body, :created_at, :updated_at, :deleted_at, :revision, :host_id, :counter, :vector_clock,
     :title_copy, :text_copy)`;
const UPDATE = `UPDATE records SET
    body = :body, created_at = :created_at, updated_at = :updated_at, deleted_at = :deleted_at, revision = :revision,
    host_id = :host_id, counter = :counter, vector_clock = :vector_clock, title_copy = :title_copy,
    text_copy = :text_copy
  WHERE id = :id AND kind = :kind`;

type Version = { readonly record: JournalRecord; readonly isKnown: boolean };

/** Writes record versions and everything derived from them, each record once. The one way into the table. */
export function saveVersions(db: Sqlite, versions: readonly Version[]): void {
  const last = lastRow(db);
  saveRows(db, versions);
  indexRowsAfter(db, last);
}

export function lastRow(db: Sqlite): number {
  return db.get<{ seq: number | null }>("SELECT max(seq) AS seq FROM records")?.seq ?? 0;
}

/**
 * The rows, their labels and their lines in the sequence log. New rows still have to be indexed and counted in the same
 * transaction by `indexRowsAfter`; for changed ones triggers do that.
 */
export function saveRows(db: Sqlite, versions: readonly Version[]): void {
  for (const { record, isKnown } of versions) {
    assert(record.vectorClock[record.hostId] === record.counter, "JOURNAL-10 the clock carries the version's counter");
    assert(db.run(isKnown ? UPDATE : INSERT, paramsOfRecord(record)) === 1, "a record never changes its kind");
  }
  saveLabels(
    db,
    versions.filter(({ isKnown }) => !isKnown),
  );
  saveLines(db, versions);
}

/** Puts the rows after this one into the search index and into the counts of tasks. */
export function indexRowsAfter(db: Sqlite, last: number): void {
  db.run(
    `INSERT INTO search (rowid, search_kind, search_title, search_text)
     SELECT seq, search_kind, search_title, search_text FROM records WHERE seq > :last`,
    { last },
  );
  db.run(
    `INSERT INTO task_counts (place, due_date, count)
     SELECT count_place, count_due, 1 FROM records WHERE seq > :last AND count_place IS NOT NULL
     ON CONFLICT (place, due_date) DO UPDATE SET count = count + 1`,
    { last },
  );
}

function saveLabels(db: Sqlite, added: readonly Version[]): void {
  const labels = added.flatMap(({ record }) =>
    record.kind === "task" ? [...new Set(record.body.labelIds)].map((label) => [label, record.id]) : [],
  );
  db.run(
    `INSERT INTO task_labels (label_id, task_seq)
     SELECT value ->> 0, (SELECT seq FROM records WHERE id = value ->> 1) FROM json_each(:labels)`,
    { labels: JSON.stringify(labels) },
  );
}

function saveLines(db: Sqlite, versions: readonly Version[]): void {
  const lines = versions.map(({ record: { hostId, counter, kind, id, updatedAt } }) => [
    hostId,
    counter,
    payloadTypeOf(kind),
    id,
    kind,
    updatedAt,
  ]);
  db.run(
    `INSERT INTO sequence_log (host_id, counter, payload_type, payload_id, kind, at)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5
     FROM json_each(:lines) WHERE true
     ON CONFLICT (host_id, counter) DO NOTHING`,
    { lines: JSON.stringify(lines) },
  );
}
