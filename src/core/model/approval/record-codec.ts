import * as z from "zod/mini";
import { camelKey, snakeKey } from "../config-codec.ts";
import type { Camel } from "../config-nodes.ts";

/** A record with names of TypeScript; what its fields hold is left alone, so maps keep the keys others chose. */
export type CamelKeys<T> = { readonly [K in keyof T as K extends string ? Camel<K> : never]: T[K] };
type Snake<S extends string> = S extends `${infer A}${infer B}`
  ? A extends Lowercase<A>
    ? `${A}${Snake<B>}`
    : `_${Lowercase<A>}${Snake<B>}`
  : S;
/** The same record with the names of the wire. */
export type SnakeKeys<T> = { [K in keyof T as K extends string ? Snake<K> : never]: T[K] };

export function camelRecord<T extends object>(wire: T): CamelKeys<T> {
  return Object.fromEntries(Object.entries(wire).map(([key, value]) => [camelKey(key), value])) as CamelKeys<T>;
}

export function snakeRecord<T extends object>(record: T): SnakeKeys<T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [snakeKey(key), value])) as SnakeKeys<T>;
}

/** The parser of a wire object that becomes a record with names of TypeScript. */
export function recordOf<T extends object, I>(wire: z.ZodMiniType<T, I>) {
  return z.pipe(
    wire,
    z.transform((value: T): CamelKeys<T> => camelRecord(value)),
  );
}
