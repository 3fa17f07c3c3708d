import { oneLine } from "#base";
import { ID_PART_CHARS_MIN } from "#model";
import { CommandFailure, EXIT } from "../terminal/failure.ts";

type Wanted<T> = { readonly typed: string; readonly idOf: (one: T) => string; readonly plural: string };

/** The one that has this id, or alone has an id that begins so; null when there is none. */
export function findById<T>(all: readonly T[], { typed, idOf, plural }: Wanted<T>): T | null {
  const fitting = typed.length < ID_PART_CHARS_MIN ? [] : all.filter((one) => idOf(one).startsWith(typed));
  if (fitting.length < 2) return fitting[0] ?? null;
  throw new CommandFailure({
    what: `${oneLine(typed)} is the beginning of the ids of ${fitting.length} ${plural}.`,
    kept: "Nothing was changed.",
    next: "Type more of the id.",
    exit: EXIT.usage,
  });
}
