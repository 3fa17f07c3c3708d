import { neutralise, type JsonValue } from "#base";
import type { CardRow } from "../cards.ts";

/** What a person asks first comes first; the rest follows in the order of the canonical text. */
const FIRST = [
  "title",
  "type",
  "id",
  "body",
  "capabilities",
  "steps",
  "files",
  "hosts",
  "standing",
  "verify",
  "gates",
  "budget",
  "skills",
  "skill_digests",
];

/**
 * Every value of a projection as a row with its place (a JSON pointer) and its whole text, made safe to show. Nothing
 * is left out and nothing is shortened: what is signed and has no row does not exist. [CARD-01]
 */
export function projectionRows(projection: { readonly [field: string]: JsonValue }): readonly CardRow[] {
  const fields = Object.keys(projection);
  const ordered = [
    ...FIRST.filter((field) => fields.includes(field)),
    ...fields.filter((field) => !FIRST.includes(field)),
  ];
  return ordered.flatMap((field) => rowsOf(`/${escape(field)}`, projection[field] ?? null));
}

function rowsOf(path: string, value: JsonValue): readonly CardRow[] {
  if (typeof value !== "object" || value === null) return [leaf(path, value)];
  const entries = Object.entries(value);
  if (entries.length === 0)
    return [{ path: neutralise(path), kind: "empty", text: Array.isArray(value) ? "[]" : "{}" }];
  return entries.flatMap(([key, child]: [string, JsonValue]) => rowsOf(`${path}/${escape(key)}`, child));
}

function leaf(path: string, value: null | boolean | number | string): CardRow {
  const place = neutralise(path);
  switch (typeof value) {
    case "string":
      return { path: place, kind: "text", text: neutralise(value) };
    case "number":
      return { path: place, kind: "number", text: String(value) };
    case "boolean":
      return { path: place, kind: "flag", text: String(value) };
    default:
      return { path: place, kind: "none", text: "" };
  }
}

const escape = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
