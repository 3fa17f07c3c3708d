import type { TaskDetail } from "#model";
import { run } from "../data/commands.ts";
import { announce } from "../ui-state.ts";
import { words } from "../words.ts";

export type Checklist = TaskDetail["checklists"][number];
type Move = { readonly list: Checklist; readonly index: number; readonly by: -1 | 1 };

/** Moves an item one place up or down its checklist. */
export async function moveItem({ list, index, by }: Move): Promise<void> {
  const { items, checklist } = list;
  const item = items[index];
  const target = index + by;
  if (item === undefined || target < 0 || target >= items.length) return;
  const after = (by === 1 ? items[target]?.id : items[index - 2]?.id) ?? null;
  const ids = { fromChecklistId: checklist.id, toChecklistId: checklist.id };
  await run({ kind: "item.move", itemIds: [item.id], ...ids, after, preserveCheckedState: true });
  announce(words.tasks.moved(item.body.title, target + 1, items.length));
}
