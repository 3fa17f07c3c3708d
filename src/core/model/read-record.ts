import { LIMITS, nearest } from "#base";
import type { ConfigGroup, ConfigKey, ConfigList, ConfigNode } from "./config-nodes.ts";
import { UNSAFE_TEXT } from "./work/work-kinds.ts";
import { mayBeNull } from "./work/work-records.ts";

/** The wire form of a record: every field of its schema, defaults included. */
export type WireRecord = { readonly [key: string]: unknown };

export type KeyPath = readonly (string | number)[];
/** What is wrong with one field. */
type FieldProblem = {
  readonly code: "missing_key" | "runtime_field" | "unknown_key" | "unsafe_text" | "wrong_value";
  /** What the field takes. */
  readonly expected?: string;
  /** The name that was probably meant. */
  readonly nearest?: string | null;
};
type Report = (path: KeyPath, problem: FieldProblem) => void;

type Place = { readonly value: unknown; readonly path: KeyPath };
type Reader = { readonly report: Report; readonly refusedKeys: ReadonlySet<string> };

/**
 * Reads a map against the schema of a record. Everything wrong is reported, each at its own key; what is returned
 * holds null where something was refused, so that later checks can go on with the rest.
 */
export function readRecord(node: ConfigGroup, place: Place & Reader): WireRecord {
  const { value, path, ...reader } = place;
  return readGroup(reader, { node, value, path }) ?? {};
}

type At<N extends ConfigNode> = Place & { readonly node: N };

function readNode(reader: Reader, { node, ...place }: At<ConfigNode>): unknown {
  switch (node.node) {
    case "key":
      return readKey(reader, { node, ...place });
    case "group":
      return readGroup(reader, { node, ...place });
    case "list":
      return readList(reader, { node, ...place });
    case "map":
      return readNamed(reader, { node, ...place });
  }
}

function readKey({ report }: Reader, { node, value, path }: At<ConfigKey>): unknown {
  const parsed = node.kind.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const isUnsafe = issues.every(({ message }) => message === UNSAFE_TEXT);
  // In a list the first wrong element is the place.
  const inside = (issues[0]?.path ?? []).filter((step) => typeof step !== "symbol");
  report([...path, ...inside], { code: isUnsafe ? "unsafe_text" : "wrong_value", expected: node.kind.expected });
  return null;
}

function readGroup(reader: Reader, { node, value, path }: At<ConfigGroup>): WireRecord | null {
  if (value === null && mayBeNull(node)) return null;
  const record = mapOf(reader, { value, path });
  if (record === null) return null;
  reportUnknown(reader, { node, value: record, path });
  const read = Object.entries(node.children).map(([name, child]): [string, unknown] => {
    const at = [...path, name];
    if (Object.hasOwn(record, name)) return [name, readNode(reader, { node: child, value: record[name], path: at })];
    return [name, absent(reader, { node: child, value: undefined, path: at })];
  });
  return Object.fromEntries(read);
}

/** What stands for a field that was left out. */
function absent(reader: Reader, { node, path }: At<ConfigNode>): unknown {
  if (node.node === "list" || node.node === "map") return node.fallback;
  if (node.node === "group") return mayBeNull(node) ? null : readGroup(reader, { node, value: {}, path });
  if (node.presence === "default") return node.fallback;
  reader.report(path, { code: "missing_key", expected: node.kind.expected });
  return null;
}

function reportUnknown({ report, refusedKeys }: Reader, { node, value, path }: At<ConfigGroup>): void {
  const known = Object.keys(node.children);
  const unknown = Object.keys(value as WireRecord).filter((name) => !Object.hasOwn(node.children, name));
  for (const name of unknown.slice(0, LIMITS.planProblems + 1)) {
    const isRuntime = path.length === 0 && refusedKeys.has(name);
    if (isRuntime) report([name], { code: "runtime_field" });
    else report([...path, name], { code: "unknown_key", nearest: nearest(name, known) });
  }
}

function readList(reader: Reader, { node, value, path }: At<ConfigList>): unknown {
  if (!Array.isArray(value) || value.length > node.itemsMax) {
    reader.report(path, { code: "wrong_value", expected: `a list of at most ${node.itemsMax} maps` });
    return [];
  }
  return value.map((item: unknown, index) =>
    readGroup(reader, { node: node.item, value: item, path: [...path, index] }),
  );
}

/** Names of escalations and access levels; `constructor` is as good as any, since nothing looks them up by prototype. */
const NAME = /^[A-Za-z][A-Za-z0-9_.:-]*$/;

function readNamed(reader: Reader, { node, value, path }: At<Extract<ConfigNode, { node: "map" }>>): WireRecord {
  const entries = Object.entries(mapOf(reader, { value, path }) ?? {});
  if (entries.length > LIMITS.planParts) {
    reader.report(path, { code: "wrong_value", expected: `a map of at most ${LIMITS.planParts} names` });
    return {};
  }
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      const at = [...path, name];
      const isName = NAME.test(name) && name.length <= LIMITS.nameChars;
      if (!isName) reader.report(at, { code: "wrong_value", expected: "a name of letters, digits and _ . : -" });
      return [name, readNode(reader, { node: node.entry, value: inner, path: at })];
    }),
  );
}

function mapOf({ report }: Reader, { value, path }: Place): WireRecord | null {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as WireRecord;
  report(path, { code: "wrong_value", expected: "a map" });
  return null;
}
