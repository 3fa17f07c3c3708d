import { unreachable } from "#base";
import type { AppliedOperation, JournalFacts, JournalRead, JournalRecord, OperationId, RecordId } from "#model";
import type { Sqlite } from "../sqlite.ts";
import { loadOperation, loadRecords, selectRecords } from "./rows.ts";

/** Everything the reads name, in one consistent look at the database. */
export function readFacts(db: Sqlite, reads: readonly JournalRead[]): JournalFacts {
  const records = new Map<RecordId, JournalRecord>();
  const operations = new Map<OperationId, AppliedOperation>();
  for (const read of reads) {
    if (read.kind === "operation") {
      const operation = loadOperation(db, read.id);
      if (operation === null) continue;
      operations.set(read.id, operation);
      for (const record of loadRecords(db, operation.recordIds)) records.set(record.id, record);
    } else {
      for (const record of recordsOf(db, read)) records.set(record.id, record);
    }
  }
  return { records, operations };
}

function recordsOf(db: Sqlite, read: Exclude<JournalRead, { kind: "operation" }>): readonly JournalRecord[] {
  switch (read.kind) {
    case "ids":
      return loadRecords(db, read.ids);
    case "tree":
      return tree(db, read.id);
    case "all":
      return selectRecords(db, {
        where: "kind = :kind AND kind IN ('category', 'label') AND deleted_at IS NULL",
        params: {
          kind: read.of,
        },
      });
    case "running":
      return selectRecords(db, { where: "kind = 'timeEntry' AND deleted_at IS NULL AND ended_rank = '~'" });
    case "place":
      return place(db, read);
    case "links":
      return ["from_id", "to_id"].flatMap((end) =>
        selectRecords<"link">(db, {
          where: `kind = 'link' AND deleted_at IS NULL AND ${end} = :id`,
          params: { id: read.id },
        }),
      );
    default:
      return unreachable(read);
  }
}

function tree(db: Sqlite, id: RecordId): readonly JournalRecord[] {
  return selectRecords(db, {
    where: `id IN (
       WITH RECURSIVE below (id) AS (
         SELECT id FROM records WHERE id = :id AND deleted_at IS NULL
         UNION
         SELECT child.id FROM below JOIN records AS child
           ON child.parent_id = below.id AND child.parent_id IS NOT NULL AND child.deleted_at IS NULL
       )
       SELECT id FROM below)`,
    params: { id },
  });
}

function place(db: Sqlite, { of, at }: Extract<JournalRead, { kind: "place" }>): readonly JournalRecord[] {
  const live =
    of === "task"
      ? "kind = 'task' AND deleted_at IS NULL"
      : "kind IN ('category', 'label') AND kind = 'category' AND deleted_at IS NULL";
  if (at === "first") return selectRecords(db, { where: `${live} ORDER BY sort_order, id LIMIT 1` });
  if (at === "last") return selectRecords(db, { where: `${live} ORDER BY sort_order DESC, id DESC LIMIT 1` });
  const [after] = selectRecords<"task" | "category">(db, { where: `${live} AND id = :id`, params: { id: at.after } });
  if (after === undefined) return [];
  // Siblings may share a key after two devices joined: only a greater one leaves room between the two.
  const greater = `${live} AND sort_order > :order ORDER BY sort_order, id LIMIT 1`;
  return [after, ...selectRecords(db, { where: greater, params: { order: after.body.order } })];
}
