import { err, ok, parseStrictJson, type JsonValue, type Result } from "#base";
import { SQLITE_CORRUPT, faultOf } from "#engine";
import type { StoreFault } from "#model";

/** Runs work on a database and turns what the world threw into a fault. Broken invariants go on as they are. */
export function guarded<T, E>(work: () => Result<T, E>): Result<T, E | StoreFault> {
  try {
    return work();
  } catch (cause) {
    return err(faultOf(cause));
  }
}

/** `guarded` for work that answers with a plain value. */
export function guardedValue<T>(work: () => T): Result<T, StoreFault> {
  return guarded(() => ok(work()));
}

/** The same for what a reader does by the way: while nothing may be written it is left undone, and reading goes on. */
export function unlessReadOnly<T>(undone: T, work: () => T): Result<T, StoreFault> {
  const done = guardedValue(work);
  return !done.ok && done.error.code === "store_read_only" ? ok(undone) : done;
}

/** `guarded` for work that takes its time. */
export async function guardedPromise<T>(work: Promise<T>): Promise<Result<T, StoreFault>> {
  try {
    return ok(await work);
  } catch (cause) {
    return err(faultOf(cause));
  }
}

/** A kept row that is not what was kept is the world's failure like a torn page, and says so to whoever asks for it. */
class DamagedRow extends Error {
  override readonly name = "DamagedRow";
  readonly errcode = SQLITE_CORRUPT;
}

/** What a row holds, or the fault that it holds no such thing; `kept` names the rule and what it should be. */
export function whole<T>(read: T | null | undefined, kept: string): T {
  if (read === null || read === undefined) throw new DamagedRow(kept);
  return read;
}

/** What a column of JSON holds. */
export function wholeJson(text: string, kept: string): JsonValue {
  const parsed = parseStrictJson(text);
  if (!parsed.ok) throw new DamagedRow(kept);
  return parsed.value;
}

/** A list of what can be read: one damaged row keeps nobody from the others, and `silas doctor` names it. */
export const readable = <Row, T>(rows: readonly Row[], read: (row: Row) => T): readonly T[] =>
  rows.flatMap((row) => unlessDamaged(() => read(row)) ?? []);

/** Null when it is damaged. */
export function unlessDamaged<T>(read: () => T): readonly [T] | null {
  try {
    return [read()];
  } catch (cause) {
    if (cause instanceof DamagedRow) return null;
    throw cause;
  }
}
