import { ratingId, type JournalRecord, type RecordId, type RecordOf, type TaskDetail } from "#model";
import type { Sqlite } from "../sqlite.ts";
import { titleOf } from "./record-words.ts";
import { loadLive, loadRecord, selectRecords } from "./rows.ts";
import { withProgress } from "./task-rows.ts";

/** One task with everything that hangs on it; null when it is missing or deleted. */
export function answerTask(db: Sqlite, id: RecordId): TaskDetail | null {
  const task = loadLive(db, { kind: "task", id });
  const row = task === null ? undefined : withProgress(db, [task])[0];
  if (task === null || row === undefined) return null;
  return {
    ...row,
    checklists: checklistsOf(db, id),
    timeEntries: selectRecords<"timeEntry">(db, {
      where: `${childrenOf("timeEntry")} ORDER BY started_at DESC, id DESC`,
      params: { id },
    }),
    entries: selectRecords<"entry">(db, {
      where: "entry_task_id = :id AND deleted_at IS NULL ORDER BY timeline_at DESC, id DESC",
      params: { id },
    }),
    links: linksOf(db, id),
    source: loadLive(db, { kind: "task", id: task.body.sourceTaskId }),
    followUps: selectRecords<"task">(db, {
      where: "source_task_id = :id AND kind = 'task' AND deleted_at IS NULL ORDER BY created_at, id",
      params: { id },
    }),
    rating: loadLive(db, { kind: "rating", id: ratingId("task", id) }),
  };
}

const childrenOf = (kind: "checklist" | "checklistItem" | "timeEntry"): string =>
  `parent_id = :id AND kind = '${kind}' AND parent_id IS NOT NULL AND deleted_at IS NULL`;

function checklistsOf(db: Sqlite, id: RecordId): TaskDetail["checklists"] {
  const checklists = selectRecords<"checklist">(db, {
    where: `${childrenOf("checklist")} ORDER BY sort_order, id`,
    params: { id },
  });
  return checklists.map((checklist) => ({
    checklist,
    items: selectRecords<"checklistItem">(db, {
      where: `${childrenOf("checklistItem")} ORDER BY sort_order, id`,
      params: {
        id: checklist.id,
      },
    }),
  }));
}

function linksOf(db: Sqlite, id: RecordId): TaskDetail["links"] {
  const ends = ["from_id", "to_id"].flatMap((end) =>
    selectRecords<"link">(db, { where: `kind = 'link' AND deleted_at IS NULL AND ${end} = :id`, params: { id } }),
  );
  const links = [...new Map(ends.map((link) => [link.id, link])).values()];
  links.sort((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1));
  return links.map((link) => ({ link, other: otherEnd(db, { link, id }) }));
}

/** A link may outlive its other end, or come before it from another device: it loads as unresolved. */
function otherEnd(
  db: Sqlite,
  { link, id }: { readonly link: RecordOf<"link">; readonly id: RecordId },
): TaskDetail["links"][number]["other"] {
  const other: JournalRecord | null = loadRecord(db, link.body.fromId === id ? link.body.toId : link.body.fromId);
  if (other === null || other.deletedAt !== null) return null;
  return { id: other.id, kind: other.kind, title: titleOf(other) };
}
