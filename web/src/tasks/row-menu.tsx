import type { ReactNode } from "react";
import type { TaskRow } from "#model";
import { run } from "../data/commands.ts";
import { More, type MenuRow } from "../parts/menu.tsx";
import { today } from "../time/clock.ts";
import { words } from "../words.ts";

type RowMenuProps = { readonly row: TaskRow; readonly onMove: ((by: -1 | 1) => void) | null };

export function RowMenu({ row, onMove }: RowMenuProps): ReactNode {
  const moves: readonly MenuRow[] =
    onMove === null
      ? []
      : [
          { text: words.actions.moveUp, run: () => onMove(-1), hint: "Alt ↑" },
          { text: words.actions.moveDown, run: () => onMove(1), hint: "Alt ↓" },
        ];
  return <More rows={[...moves, ...taskActions(row)]} />;
}

/** What can be done with a whole task; every one of them can be undone. */
export function taskActions(
  { task: { id, body } }: TaskRow,
  afterDelete: () => void = () => undefined,
): readonly MenuRow[] {
  const isConcluded = body.concludedAt !== null;
  return [
    isConcluded
      ? { text: words.task.reopen, run: () => void run({ kind: "task.reopen", id }) }
      : {
          text: words.task.drop,
          run: () =>
            void run(
              { kind: "task.conclude", id, as: "DROPPED", today: today() },
              { done: words.done.dropped(body.title) },
            ),
        },
    body.archivedAt === null
      ? {
          text: words.task.archive,
          run: () => void run({ kind: "task.archive", id }, { done: words.done.archived(body.title) }),
        }
      : { text: words.task.unarchive, run: () => void run({ kind: "task.unarchive", id }) },
    {
      text: words.task.delete,
      tone: "danger",
      run: () => {
        void run({ kind: "task.delete", id }, { done: words.done.deleted(body.title) });
        afterDelete();
      },
    },
  ];
}
