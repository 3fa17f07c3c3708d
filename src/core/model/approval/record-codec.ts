import * as z from "zod/mini";
import { camelKey, snakeKey } from "../config-codec.ts";
import type { Camel } from "../config-nodes.ts";
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
  return renamed(wire, camelName) as CamelKeys<T>;
}

/** A field that is undefined is left out, as JSON does. */
export function snakeRecord<T extends object>(record: T): SnakeKeys<T> {
  return renamed(record, snakeName) as SnakeKeys<T>;
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

function renamed(record: object, nameOf: (key: string) => string): object {
  const result: { [key: string]: unknown } = {};
  for (const [key, value] of Object.entries(record)) if (value !== undefined) result[nameOf(key)] = value;
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
