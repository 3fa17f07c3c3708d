import type { ConfigGroup, ConfigNode } from "./config-nodes.ts";

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
