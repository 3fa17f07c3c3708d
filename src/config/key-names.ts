import { CONFIG_SCHEMA, configRows } from "#model";
import { nearestOf } from "./nearest.ts";
import { problem, type ConfigProblem } from "./problems.ts";

export type Path = readonly (string | number)[];

/** Every key of the schema with its variable, default and meaning. */
export const CONFIG_ROWS = configRows(CONFIG_SCHEMA);
/** Whether no part of Silas reads this key yet. An entry of a map, such as `personality.presets.quiet`, has its row. */
export const isNotUsedYet = (key: string): boolean =>
  CONFIG_ROWS.filter((row) => row.isNotUsedYet).some(
    (row) => row.key === key || (row.key.endsWith(".*") && key.startsWith(row.key.slice(0, -1))),
  );
const KEYS = CONFIG_ROWS.map((row) => row.key);

/** The sibling that was probably meant, or else a key elsewhere that ends in this name. */
export function nearestKey(
  name: string,
  siblings: { readonly path: Path; readonly known: readonly string[] },
): string | null {
  const sibling = nearestOf(name, siblings.known);
  if (sibling !== null) return [...siblings.path, sibling].join(".");
  return KEYS.find((key) => key.endsWith(`.${name}`)) ?? nearestOf([...siblings.path, name].join("."), KEYS);
}

const ENTRY_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Names of entries become keys that people write and variables are named after. The caller adds key and origin. */
export function entryProblem(name: string, names: readonly string[] | null): ConfigProblem | null {
  const at = { key: null, origin: { kind: "default" } } as const;
  if (names !== null) {
    return names.includes(name) ? null : problem("unknown_key", { ...at, nearest: nearestOf(name, names) });
  }
  const expected = "a name of small letters, digits, - and _ that begins with a letter";
  return ENTRY_NAME.test(name) ? null : problem("wrong_value", { ...at, expected });
}
