import { err, ok, type Result } from "#base";
import type { InvalidInput } from "#model";

export type Keys = readonly (string | number)[];
type CursorUse = { readonly list: string; readonly cursor: string | undefined; readonly sample: Keys };

/** Names the place after a row. Opaque to callers; bound to the list it came from. */
export function cursorOf(list: string, keys: Keys): string {
  return Buffer.from(JSON.stringify([list, ...keys]), "utf8").toString("base64url");
}

/** The sort keys behind a cursor of the same list, each of the type the sample shows; null without a cursor. */
export function keysOfCursor({ list, cursor, sample }: CursorUse): Result<Keys | null, InvalidInput> {
  if (cursor === undefined) return ok(null);
  const invalid = err({ code: "invalid_input", path: "cursor", reason: "invalid_cursor" } as const);
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (!Array.isArray(parsed) || parsed[0] !== list || parsed.length !== sample.length + 1) return invalid;
    const keys: unknown[] = parsed.slice(1);
    const fits = keys.every((key, index) => typeof key === typeof sample[index] && isBindable(key));
    return fits ? ok(keys as (string | number)[]) : invalid;
  } catch {
    return invalid;
  }
}

const isBindable = (key: unknown): boolean => typeof key === "string" || Number.isSafeInteger(key);
