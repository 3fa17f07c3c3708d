import { create } from "zustand";
import type { CommandOf, RecordId } from "#model";
import { run } from "../data/commands.ts";
import { isPendingId } from "../data/stand-in.ts";

export type TaskChange = CommandOf<"task.update">["set"];

/** A field that two places changed. Both values are here until the owner has chosen. */
type Conflict = {
  readonly id: RecordId;
  readonly field: string;
  readonly yours: unknown;
  readonly theirs: unknown;
  readonly set: TaskChange;
  readonly was: TaskChange;
};

export const useConflict = create<{ readonly conflict: Conflict | null }>(() => ({ conflict: null }));

type Edit = { readonly id: RecordId; readonly set: TaskChange; readonly was: TaskChange };

/** Sends a change together with what the owner saw before it. True when nothing is left to do in the field. */
export async function editTask({ id, set, was }: Edit): Promise<boolean> {
  let handled: "saved" | "conflict" | "refused" = "saved";
  await run(
    // Nobody else can have changed what only this browser knows; and its names for labels are not ids yet.
    { kind: "task.update", id, set, was: isPendingId(id) ? {} : was },
    {
      onRefused: (error) => {
        if (error.code !== "edit_conflict") {
          handled = "refused";
          return false;
        }
        handled = "conflict";
        const { field, yours, theirs } = error.facts;
        useConflict.setState({ conflict: { id, field: String(field), yours, theirs, set, was } });
        return true;
      },
    },
  );
  return (handled as string) !== "refused";
}

export async function keepMine(conflict: Conflict): Promise<void> {
  useConflict.setState({ conflict: null });
  const { id, set, was, field, theirs } = conflict;
  await editTask({ id, set, was: { ...was, [field]: theirs } });
}

export const keepTheirs = (): void => useConflict.setState({ conflict: null });
