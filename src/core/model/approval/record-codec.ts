import * as z from "zod/mini";
import type { Camel, ConfigGroup, ConfigNode } from "../config-nodes.ts";
import { decoded } from "../values.ts";

/** A record with names of TypeScript; what its fields hold is left alone, so maps keep the keys others chose. */
type CamelKeys<T> = { readonly [K in keyof T as K extends string ? Camel<K> : never]: T[K] };
type Snake<S extends string> = S extends `${infer A}${infer B}`
  ? A extends Lowercase<A>
    ? `${A}${Snake<B>}`
    : `_${Lowercase<A>}${Snake<B>}`
  : S;
/** The same record with the names of the wire. */
type SnakeKeys<T> = { [K in keyof T as K extends string ? Snake<K> : never]: T[K] };

export function camelRecord<T extends object>(wire: T): CamelKeys<T> {
  return withNames(wire, camelName) as CamelKeys<T>;
}

/** A field that is undefined is left out, as JSON does. */
export function snakeRecord<T extends object>(record: T): SnakeKeys<T> {
  return withNames(record, snakeName) as SnakeKeys<T>;
}

/** Reads a wire object as a record with names of TypeScript, and writes it back. */
/* @__NO_SIDE_EFFECTS__ */
export function recordOf<T extends object, I>(wire: z.ZodMiniType<T, I>) {
  return z.codec(wire, decoded<CamelKeys<T>>(), {
    decode: camelRecord,
    encode: (record) => snakeRecord(record) as T,
  });
}

/** Writes a value in the form that its schema reads. A value that the schema would not read again is a bug. */
/* @__NO_SIDE_EFFECTS__ */
export function writerOf<T, I>(schema: z.ZodMiniType<T, I>): (value: T) => I {
  return (value) => z.encode(schema, value);
}

const camelName = remembered(camelKey);
const snakeName = remembered(snakeKey);

function withNames(record: object, nameOf: (key: string) => string): object {
  const result: { [key: string]: unknown } = {};
  const fields: { readonly [key: string]: unknown } = { ...record };
  for (const key of Object.keys(fields)) if (fields[key] !== undefined) result[nameOf(key)] = fields[key];
  return result;
}

/** Records have the fields that schemas name, so there are as many names as fields. */
/* @__NO_SIDE_EFFECTS__ */
function remembered(rename: (key: string) => string): (key: string) => string {
  const names = new Map<string, string>();
  return (key) => {
    const known = names.get(key);
    if (known !== undefined) return known;
    const name = rename(key);
    names.set(key, name);
    return name;
  };
}

/** `refresh_ahead_window` -> `refreshAheadWindow`. */
export function camelKey(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
/** `refreshAheadWindow` -> `refresh_ahead_window`. */
export function snakeKey(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Wire names to names inside TypeScript. Names the owner chose (profiles, presets, events) stay as they are. */
export const toCamel = createRenamer({ from: (key) => key, to: camelKey });
/** The way back: the wire form of a value made by `toCamel`. */
export const toSnake = createRenamer({ from: camelKey, to: (key) => key });

/** How a schema key is spelled in the value that is read, and in the value that is made. */
type Spelling = { readonly from: (key: string) => string; readonly to: (key: string) => string };

/* @__NO_SIDE_EFFECTS__ */
function createRenamer(spelling: Spelling): (node: ConfigNode, value: unknown) => unknown {
  const rename = (node: ConfigNode, value: unknown): unknown => {
    switch (node.node) {
      case "key":
        return value;
      case "list":
        return Array.isArray(value) ? value.map((item) => renameGroup(node.item, item)) : value;
      case "group":
        // A group that may be absent is null in both spellings.
        return value === null ? null : renameGroup(node, value);
      case "map":
        return Object.fromEntries(
          Object.entries(value ?? {}).map(([name, entry]) => [name, rename(node.entry, entry)]),
        );
    }
  };
  const renameGroup = (node: ConfigGroup, value: unknown): unknown => {
    const record = new Map(Object.entries(value ?? {}));
    const renamed: [string, unknown][] = [];
    for (const [key, child] of Object.entries(node.children)) {
      const found = record.get(spelling.from(key));
      if (found !== undefined) renamed.push([spelling.to(key), rename(child, found)]);
    }
    return Object.fromEntries(renamed);
  };
  return rename;
}
