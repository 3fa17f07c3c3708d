import { CONFIG_SCHEMA, type ConfigNode } from "#model";
import { assemble } from "./assemble.ts";
import { entryProblem, nearestKey, type Path } from "./key-names.ts";
import { problem, type ConfigProblem, type Origin } from "./problems.ts";
import { readValue, type Source } from "./read-key.ts";
import { isReference, referencesIn } from "./references.ts";

/** What one source says: values by dotted key, named entries (they may be empty), and what is wrong. */
export type Layer = {
  readonly values: Map<string, Assigned>;
  readonly entries: Map<string, Origin>;
  /** Where the parts of a list stand, item by item and key by key; the list itself is one value. */
  readonly places: Map<string, Origin>;
  /** Every variable a value refers to, whether it is set or not. */
  readonly references: Set<string>;
  readonly problems: ConfigProblem[];
};
type Assigned = { readonly value: unknown; readonly origin: Origin };

/** A source that is a tree of values: a file, or the defaults. */
type TreeSource = Source & { readonly originAt: (path: Path) => Origin };

export const emptyLayer = (): Layer => ({
  values: new Map(),
  entries: new Map(),
  places: new Map(),
  references: new Set(),
  problems: [],
});

/** Reads a whole tree against the schema. */
export function readTree(tree: unknown, source: TreeSource): Layer {
  const layer = emptyLayer();
  visit({ source, layer }, { node: CONFIG_SCHEMA, value: tree, path: [] });
  return layer;
}

type Reader = { readonly source: TreeSource; readonly layer: Layer };
type Place = { readonly value: unknown; readonly path: Path };
type At<K extends ConfigNode["node"]> = Place & { readonly node: Extract<ConfigNode, { readonly node: K }> };

/** Reads one node of the schema out of a value, into the reader's layer. */
export function visit(reader: Reader, { node, ...place }: Place & { readonly node: ConfigNode }): void {
  switch (node.node) {
    case "key":
      return visitKey(reader, { node, ...place });
    case "group":
      return visitGroup(reader, { node, ...place });
    case "map":
      return visitMap(reader, { node, ...place });
    case "list":
      return visitList(reader, { node, ...place });
  }
}

function visitKey({ source, layer }: Reader, { node, value, path }: At<"key">): void {
  const key = path.join(".");
  const origin = originOfKey(source, { value, path });
  const originInside = (inside: Path): Origin =>
    origin.kind === "file" ? source.originAt([...path, ...inside]) : origin;
  for (const name of referencesIn(value)) layer.references.add(name);
  const read = readValue(value, { node, key, source, origin, originInside });
  if (read.ok) layer.values.set(key, { value: read.value, origin });
  else layer.problems.push(read.error);
}

function visitGroup(reader: Reader, { node, value, path }: At<"group">): void {
  const { source, layer } = reader;
  const record = mapOf(reader, { value, path });
  if (record === null) return;
  const known = Object.keys(node.children);
  for (const [name, inner] of Object.entries(record)) {
    const at = [...path, name];
    const child = Object.hasOwn(node.children, name) ? node.children[name] : undefined;
    if (child !== undefined) {
      visit(reader, { node: child, value: inner, path: at });
      continue;
    }
    const nearest = nearestKey(name, { path, known });
    layer.problems.push(problem("unknown_key", { key: at.join("."), origin: source.originAt(at), nearest }));
  }
  if (!node.whole || value === null) return;
  for (const name of known.filter((child) => !Object.hasOwn(record, child))) {
    const key = [...path, name].join(".");
    layer.problems.push(problem("missing_key", { key, origin: source.originAt(path) }));
  }
}

function visitMap(reader: Reader, { node, value, path }: At<"map">): void {
  const { source, layer } = reader;
  for (const [name, inner] of Object.entries(mapOf(reader, { value, path }) ?? {})) {
    const at = [...path, name];
    const key = at.join(".");
    const origin = source.originAt(at);
    const wrong = entryProblem(name, node.names);
    if (wrong !== null) {
      layer.problems.push({ ...wrong, key, origin });
      continue;
    }
    layer.entries.set(key, origin);
    visit(reader, { node: node.entry, value: inner, path: at });
  }
}

function visitList({ source, layer }: Reader, { node, value, path }: At<"list">): void {
  const key = path.join(".");
  const origin = source.originAt(path);
  if (!Array.isArray(value) || value.length > node.itemsMax) {
    const expected = `a list of at most ${node.itemsMax} maps`;
    layer.problems.push(problem("wrong_value", { key, origin, expected }));
    return;
  }
  const items = value.map((item: unknown, index) => {
    const inner = emptyLayer();
    const at = [...path, index];
    visit({ source, layer: inner }, { node: node.item, value: item, path: at });
    const built = assemble(node.item, { path: at, layer: inner, origin: source.originAt(at) });
    layer.problems.push(...inner.problems);
    for (const name of inner.references) layer.references.add(name);
    layer.places.set(at.join("."), source.originAt(at));
    for (const [name, assigned] of inner.values) layer.places.set(name, assigned.origin);
    return built;
  });
  layer.values.set(key, { value: items, origin });
}

/** A map, `{}` for an empty one, or null after reporting that it is something else. */
function mapOf({ source, layer }: Reader, { value, path }: Place): Readonly<Record<string, unknown>> | null {
  if (value === null || value === undefined) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  const key = path.join(".") || "silas";
  layer.problems.push(problem("wrong_value", { key, origin: source.originAt(path), expected: "a map" }));
  return null;
}

/** A default that names a variable which is set came from that variable. */
function originOfKey(source: TreeSource, { value, path }: Place): Origin {
  const origin = source.originAt(path);
  if (origin.kind !== "default" || typeof value !== "string" || !isReference(value)) return origin;
  const name = value.slice(2, -1);
  return source.environment.env[name] ? { kind: "env", name } : origin;
}
