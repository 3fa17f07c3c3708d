import type { Environment } from "./environment.ts";
import { CONFIG_ROWS } from "./key-names.ts";
import type { Layer } from "./layer.ts";
import { nearestOf } from "./nearest.ts";

/** A variable that looks like a setting of Silas and that nothing reads, with the name that was probably meant. */
export type UnreadVariable = { readonly name: string; readonly nearest: string | null };

/** What is no setting and read all the same. */
const OTHERS = ["SILAS_HOME", "SILAS_VAULT_PASSPHRASE"];

/**
 * Variables of the environment that say SILAS and mean nothing. One with levels that names no key is refused as a
 * setting; one without levels may be anybody's own, for a `${NAME}` of a file, so it is said and nothing more.
 */
export function unreadVariables(
  { env, platform }: Pick<Environment, "env" | "platform">,
  { references }: Pick<Layer, "references">,
): readonly UnreadVariable[] {
  const known = [...CONFIG_ROWS.map(({ envName }) => envName), ...references, ...OTHERS];
  return Object.entries(env)
    .filter(([, text]) => text !== undefined && text !== "")
    .map(([name]) => (platform === "win32" ? name.toUpperCase() : name))
    .filter((name) => /^SILAS_/i.test(name) && !name.includes("__") && !known.includes(name))
    .toSorted()
    .map((name) => ({ name, nearest: nearestName(name, known) }));
}

/** The same letters with fewer underscores or levels left out, as SILAS_PORT; else what a typing error would make of it. */
function nearestName(name: string, known: readonly string[]): string | null {
  const flat = name.toUpperCase();
  const ending = flat.slice("SILAS".length);
  const same = known.find((one) => flatten(one) === flat) ?? known.find((one) => flatten(one).endsWith(ending));
  if (same !== undefined) return same;
  const near = nearestOf(
    name,
    known.map((one) => one.toLowerCase()),
  );
  return near === null ? null : near.toUpperCase();
}

const flatten = (name: string): string => name.replaceAll("__", "_");
