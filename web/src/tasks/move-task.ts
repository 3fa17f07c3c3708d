import type { RecordId, TaskRow } from "#model";
import { run } from "../data/commands.ts";
import { announce } from "../ui-state.ts";
import { words } from "../words.ts";

type Move = { readonly rows: readonly TaskRow[]; readonly index: number; readonly by: -1 | 1 };

/** Moves a task one place up or down its list. */
export async function moveTask({ rows, index, by }: Move): Promise<void> {
  const target = index + by;
  if (target < 0 || target >= rows.length) return;
  const neighbour = by === 1 ? rows[target] : rows[index - 2];
  const moved = rows[index];
  if (moved !== undefined) await placeTask(moved, neighbour?.task.id ?? null);
  announce(words.tasks.moved(rows[index]?.task.body.title ?? "", target + 1, rows.length));
}

export async function placeTask(moved: TaskRow, after: RecordId | null): Promise<void> {
  if (moved.task.id !== after) await run({ kind: "task.move", id: moved.task.id, after });
}
