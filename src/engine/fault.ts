import { err, ok, type Result } from "#base";
import type { StoreFault } from "#model";

/** SQLite's primary result codes that mean something to a caller; everything else is `store_failed`. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
export const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/** The world failed: disk, database, network. Caught once at each border, never passed along by hand. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: StoreFault["code"];
  readonly retryable: boolean;
  constructor({ code, retryable, cause }: StoreFault) {
    super(code, { cause });
    this.code = code;
    this.retryable = retryable;
  }
}

/** For callers that still expect faults as values. */
export async function asResult<T>(work: Promise<T>): Promise<Result<T, StoreFault>> {
  try {
    return ok(await work);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    return err({ code: cause.code, retryable: cause.retryable, cause: cause.cause });
  }
}

/** The fault behind something that SQLite threw; a bug of our own goes on as it is. */
export const faultFrom = (cause: unknown): Fault => (cause instanceof Fault ? cause : new Fault(faultOf(cause)));

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

function codesOf(cause: unknown): { readonly errcode: number | null; readonly code: string | null } {
  if (!(cause instanceof Error)) return { errcode: null, code: null };
  const { errcode, code } = cause as { errcode?: unknown; code?: unknown };
  return {
    errcode: typeof errcode === "number" ? errcode : null,
    // A misused API is a bug; only the operating system's codes are the world's failure.
    code: typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : null,
  };
}
