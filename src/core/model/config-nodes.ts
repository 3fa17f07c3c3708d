import * as z from "zod/mini";
import { isWellFormed } from "#base";
import { maxLength } from "./values.ts";

/**
 * The words the configuration schema is written in: keys (leaves), groups of keys, maps whose keys are names the
 * owner chooses, and lists of groups. Everything about a key is said once, here: its type, default and meaning.
 * The constructors are marked free of side effects so that a page which never reads configuration drops the schema.
 */
export type ConfigNode = ConfigKey | ConfigGroup | AnyNameMap | ConfigList;

/** What a value must look like: the parser, the words for it in an error, and how a text from outside is read. */
export type ValueKind<T> = {
  readonly schema: z.ZodMiniType<T>;
  readonly expected: string;
  /** `text`: taken as it is; `document`: read as a YAML value, e.g. `8420`, `true`, `[a, b]`. */
  readonly reading: "text" | "document";
  readonly role: "plain" | "path" | "secret";
};
type Presence = "default" | "required" | "optional";
export type ConfigKey<T = unknown, P extends Presence = Presence> = {
  readonly node: "key";
  readonly kind: ValueKind<T>;
  readonly presence: P;
  /** The wire value when nothing sets the key; may hold a `${NAME}` reference. */
  readonly fallback: unknown;
  readonly doc: string;
};
export type ConfigGroup<C extends Children = Children> = {
  readonly node: "group";
  readonly children: C;
  /** A file that writes this group must write every key of it. [CFG-28] */
  readonly whole: boolean;
};
type AnyNameMap = {
  readonly node: "map";
  readonly entry: ConfigNode;
  /** When set, only these names exist. */
  readonly names: readonly string[] | null;
  readonly fallback: Readonly<Record<string, unknown>>;
  readonly doc: string;
};
type ConfigNameMap<N extends ConfigNode> = AnyNameMap & { readonly entry: N };
export type ConfigList<G extends ConfigGroup = ConfigGroup> = {
  readonly node: "list";
  readonly item: G;
  readonly fallback: readonly unknown[];
  readonly itemsMax: number;
  readonly doc: string;
};
type Children = { readonly [key: string]: ConfigNode };

/** A secret that does not print itself: only `reveal()` gives the text. */
export type SecretText = { readonly reveal: () => string; readonly toJSON: () => string };

export type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type OptionalIn<C> = { [K in keyof C]: C[K] extends ConfigKey<unknown, "optional"> ? K : never }[keyof C];

/** The frozen, camelCase value of a node inside TypeScript. */
export type ConfigOf<N> =
  N extends ConfigKey<infer T, Presence>
    ? T
    : N extends ConfigGroup<infer C>
      ? { readonly [K in Exclude<keyof C, OptionalIn<C>> as Camel<K & string>]: ConfigOf<C[K]> } & {
          readonly [K in OptionalIn<C> as Camel<K & string>]?: ConfigOf<C[K]>;
        }
      : N extends ConfigNameMap<infer E>
        ? { readonly [name: string]: ConfigOf<E> }
        : N extends ConfigList<infer G>
          ? readonly ConfigOf<G>[]
          : never;

/** A key with a default. */
/* @__NO_SIDE_EFFECTS__ */
export function key<T>(kind: ValueKind<T>, rest: KeyRest<NoInfer<T>>): ConfigKey<T, "default"> {
  return { node: "key", kind, presence: "default", fallback: rest.is, doc: rest.doc };
}
/** A key of a named entry that the entry must give. */
/* @__NO_SIDE_EFFECTS__ */
export function required<T>(kind: ValueKind<T>, doc: string): ConfigKey<T, "required"> {
  return { node: "key", kind, presence: "required", fallback: undefined, doc };
}
/** A key of a named entry that may be left out. */
/* @__NO_SIDE_EFFECTS__ */
export function optional<T>(kind: ValueKind<T>, doc: string): ConfigKey<T, "optional"> {
  return { node: "key", kind, presence: "optional", fallback: undefined, doc };
}
/* @__NO_SIDE_EFFECTS__ */
export function group<C extends Children>(children: C): ConfigGroup<C> {
  return { node: "group", children, whole: false };
}
/* @__NO_SIDE_EFFECTS__ */
export function wholeGroup<C extends Children>(children: C): ConfigGroup<C> {
  return { node: "group", children, whole: true };
}
/* @__NO_SIDE_EFFECTS__ */
export function nameMap<N extends ConfigNode>(
  entry: N,
  rest: Pick<AnyNameMap, "fallback" | "doc"> & { readonly names?: readonly string[] },
): ConfigNameMap<N> {
  return { node: "map", entry, names: null, ...rest };
}
/* @__NO_SIDE_EFFECTS__ */
export function listOf<G extends ConfigGroup>(item: G, rest: Omit<ConfigList<G>, "node" | "item">): ConfigList<G> {
  return { node: "list", item, ...rest };
}

type KeyRest<T> = { readonly is: T | `\${${string}}`; readonly doc: string };

const plain = { reading: "document", role: "plain" } as const;

/* @__NO_SIDE_EFFECTS__ */
export function whole(min: number, max: number): ValueKind<number> {
  const expected = `a whole number from ${min} to ${max}`;
  return { ...plain, schema: z.int().check(z.gte(min), z.lte(max)), expected };
}
/* @__NO_SIDE_EFFECTS__ */
export function decimal(min: number, max: number): ValueKind<number> {
  return { ...plain, schema: z.number().check(z.gte(min), z.lte(max)), expected: `a number from ${min} to ${max}` };
}
/* @__NO_SIDE_EFFECTS__ */
export function flag(): ValueKind<boolean> {
  return { ...plain, schema: z.boolean(), expected: "true or false" };
}
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<const T extends string>(words: readonly T[]): ValueKind<T> {
  return { schema: z.enum(words), expected: wordList(words), reading: "text", role: "plain" };
}
/* @__NO_SIDE_EFFECTS__ */
export function text(rest: { readonly pattern?: RegExp; readonly expected?: string } = {}): ValueKind<string> {
  const expected = rest.expected ?? "a line of text";
  return { schema: lineSchema(rest.pattern ?? /\S/), expected, reading: "text", role: "plain" };
}
/** A path; relative ones are resolved when configuration is loaded, so the value inside is always absolute. */
/* @__NO_SIDE_EFFECTS__ */
export function path(): ValueKind<string> {
  return { schema: lineSchema(/\S/), expected: "a path", reading: "text", role: "path" };
}
/** A value that never shows: refused as a literal in files, printed nowhere. Null means none is set. */
/* @__NO_SIDE_EFFECTS__ */
export function secret(): ValueKind<SecretText | null> {
  // One way only: nothing writes a secret back into configuration.
  const schema = z.pipe(z.nullable(lineSchema(/^\S+$/)), z.transform(secretText));
  return { schema, expected: "a text without spaces, or null", reading: "text", role: "secret" };
}
/* @__NO_SIDE_EFFECTS__ */
export function nullable<T>(kind: ValueKind<T>): ValueKind<T | null> {
  return { ...kind, schema: z.nullable(kind.schema), expected: `${kind.expected}, or null` };
}
/* @__NO_SIDE_EFFECTS__ */
export function many<T>(kind: ValueKind<T>, countMax: number): ValueKind<readonly T[]> {
  const expected = `a list of at most ${countMax} values, each ${kind.expected}`;
  return { ...plain, schema: z.array(kind.schema).check(maxLength(countMax)), expected };
}

const LINE_CHARS = 4000;
// Control characters are exactly what a setting must not hold.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/* @__NO_SIDE_EFFECTS__ */
function lineSchema(pattern: RegExp) {
  const clean = z.refine<string>((line) => isWellFormed(line) && !CONTROL.test(line), "invalid_text");
  return z.string().check(maxLength(LINE_CHARS), z.regex(pattern), clean);
}

export function secretText(value: string): SecretText;
export function secretText(value: string | null): SecretText | null;
export function secretText(value: string | null): SecretText | null {
  return value === null ? null : Object.freeze({ reveal: () => value, toJSON: () => SECRET_SHOWN });
}
/** What stands wherever a secret's value would. */
export const SECRET_SHOWN = "(secret, set)";
export const SECRET_UNSET_SHOWN = "(secret, not set)";

function wordList(words: readonly string[]): string {
  return words.length === 1 ? `${words[0]}` : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
