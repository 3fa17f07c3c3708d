import { msOfInstant, type Instant } from "#base";
import type { RecordOf, TaskRow } from "#model";
import type { Sqlite } from "../sqlite.ts";

type ItemCount = { readonly task_id: string; readonly total: number; readonly checked: number };
type Spell = { readonly task_id: string; readonly started_at: string; readonly ended_rank: string };

/** Tasks with what a list shows beside them: checklist progress, time spent, a running timer. */
export function withProgress(db: Sqlite, tasks: readonly RecordOf<"task">[]): readonly TaskRow[] {
  const ids = JSON.stringify([...new Set(tasks.map((task) => task.id))]);
  const items = db.all<ItemCount>(
    `SELECT lists.parent_id AS task_id, count(*) AS total, sum(json_extract(items.body, '$.checked')) AS checked
     FROM json_each(:ids) AS wanted
     JOIN records AS lists ON lists.parent_id = wanted.value AND lists.kind = 'checklist'
       AND lists.parent_id IS NOT NULL AND lists.deleted_at IS NULL
     JOIN records AS items ON items.parent_id = lists.id AND items.kind = 'checklistItem'
       AND items.parent_id IS NOT NULL AND items.deleted_at IS NULL
     GROUP BY lists.parent_id`,
    { ids },
  );
  const spells = db.all<Spell>(
    `SELECT parent_id AS task_id, started_at, ended_rank FROM json_each(:ids) AS wanted
     JOIN records ON parent_id = wanted.value AND kind = 'timeEntry' AND parent_id IS NOT NULL AND deleted_at IS NULL`,
    { ids },
  );
  const countsById = new Map(items.map((row) => [row.task_id, row]));
  const spellsById = Map.groupBy(spells, (row) => row.task_id);
  return tasks.map((task) => rowOf(task, countsById.get(task.id), spellsById.get(task.id) ?? []));
}

function rowOf(task: RecordOf<"task">, counts: ItemCount | undefined, spells: readonly Spell[]): TaskRow {
  let spentMs = 0;
  let runningSince: Instant | null = null;
  for (const spell of spells) {
    const startedAt = spell.started_at as Instant;
    if (spell.ended_rank !== "~") spentMs += msOfInstant(spell.ended_rank as Instant) - msOfInstant(startedAt);
    else if (runningSince === null || startedAt > runningSince) runningSince = startedAt;
  }
  return {
    task,
    itemsTotal: counts?.total ?? 0,
    itemsChecked: counts?.checked ?? 0,
    spentSeconds: Math.floor(spentMs / 1000),
    runningSince,
  };
}
