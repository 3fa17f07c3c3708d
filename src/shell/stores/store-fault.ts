import { err, ok, parseStrictJson, type JsonValue, type Result } from "#base";
import type { StoreFault } from "#model";

/** SQLite's primary result codes that mean something to a caller; everything else is `store_failed`. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

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

/** The fault behind something thrown by SQLite or the file system; rethrows what is a bug of our own. */
export function faultOf(cause: unknown): StoreFault {
  const { errcode, code } = codesOf(cause);
  if (errcode === null && code === null) throw cause;
  // Extended codes carry the primary code in their low byte.
  const primary = errcode === null ? null : errcode & 0xff;
  if (primary === SQLITE_BUSY || primary === SQLITE_LOCKED) return { code: "store_busy", retryable: true, cause };
  if (primary === SQLITE_FULL || code === "ENOSPC" || code === "EDQUOT") {
    return { code: "disk_full", retryable: true, cause };
  }
  if (primary === SQLITE_READONLY) return { code: "store_read_only", retryable: false, cause };
  if (primary === SQLITE_CORRUPT || primary === SQLITE_NOTADB)
    return { code: "store_corrupt", retryable: false, cause };
  return { code: "store_failed", retryable: false, cause };
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

function codesOf(cause: unknown): { readonly errcode: number | null; readonly code: string | null } {
  if (!(cause instanceof Error)) return { errcode: null, code: null };
  const { errcode, code } = cause as { errcode?: unknown; code?: unknown };
  return {
    errcode: typeof errcode === "number" ? errcode : null,
    // A misused API is a bug; only the operating system's codes are the world's failure.
    code: typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : null,
  };
}
