import type { JsonValue } from "#base";

/** Every place in a value that holds something which can be exchanged. */
export function placesOf(value: JsonValue, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, child]) => placesOf(child as JsonValue, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

export function exchanged(value: JsonValue, path: readonly string[], put: (old: JsonValue) => JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return put(value);
  const inner = value as { readonly [key: string]: JsonValue };
  const changed = exchanged(inner[key] ?? null, rest, put);
  return Array.isArray(value) ? value.with(Number(key), changed) : { ...inner, [key]: changed };
}

/** Another value of the same kind, so that most changes still have the shape they had. */
export function altered(old: JsonValue, seed: number): JsonValue {
  if (typeof old === "number") return old + 1 + (seed % 7);
  if (typeof old === "boolean") return !old;
  if (typeof old === "string" && old.length > 0) {
    const at = seed % old.length;
    return `${old.slice(0, at)}${old[at] === "1" ? "2" : "1"}${old.slice(at + 1)}`;
  }
  return old === null ? 0 : null;
}
