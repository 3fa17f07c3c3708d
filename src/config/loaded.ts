import { err, ok, type Result } from "#base";
import { CONFIG_SCHEMA, envNameOf, SECRET_SHOWN, SECRET_UNSET_SHOWN, type Config, type ConfigNode } from "#model";
import type { Directories } from "./directories.ts";
import { deepFreeze } from "./freeze.ts";
import { nearestKey } from "./key-names.ts";
import type { Layer } from "./layer.ts";
import type { Origin } from "./problems.ts";
import type { UnreadVariable } from "./unread-variables.ts";

/** Configuration that passed every rule. Frozen through and through. */
export type LoadedConfig = {
  readonly config: Config;
  readonly paths: Paths;
  /** Where a key got its value, or null for a key that does not exist. */
  readonly originOf: (key: string) => Origin | null;
  /** The same for a part of a list such as `gates.system.0.check`; a part that was not written stands at its item. */
  readonly placeOf: (key: string) => Origin | null;
  /** Every key with the value it has; secrets show only whether they are set. */
  readonly list: () => readonly ConfigEntry[];
  /** One key, or all keys under a group such as `channels.web`. */
  readonly find: (key: string) => Result<readonly ConfigEntry[], UnknownKey>;
  /** Variables that say SILAS and that nothing reads. */
  readonly unread: readonly UnreadVariable[];
};
export type ConfigEntry = {
  readonly key: string;
  /** The wire value; for a secret the words `(secret, set)` or `(secret, not set)`. */
  readonly value: unknown;
  readonly origin: Origin;
  readonly envName: string;
};
type UnknownKey = { readonly code: "unknown_key"; readonly key: string; readonly nearest: string | null };

/** Absolute places of this start. */
type Paths = {
  readonly configDir: string;
  readonly dataDir: string;
  readonly stateDir: string;
  readonly cacheDir: string;
  readonly skillsDir: string;
  readonly verifyDir: string;
  readonly customerContextDir: string;
  readonly userFile: string;
  readonly projectFile: string | null;
};

type Parts = {
  readonly config: Config;
  readonly merged: Layer;
  readonly directories: Directories;
  readonly unread: readonly UnreadVariable[];
};

export function describeLoaded({ config, merged, directories, unread }: Parts): LoadedConfig {
  const entries = deepFreeze(listEntries(merged));
  const originOf = (key: string) => entries.find((entry) => entry.key === key)?.origin ?? null;
  return Object.freeze({
    config,
    paths: describePaths(config, directories),
    originOf,
    unread: deepFreeze([...unread]),
    placeOf(key: string) {
      const path = key.split(".");
      const keys = path.map((_, index) => path.slice(0, path.length - index).join("."));
      return keys.map((part) => merged.places.get(part) ?? originOf(part)).find((origin) => origin !== null) ?? null;
    },
    list: () => entries,
    find: (key: string) => {
      const found = entries.filter((entry) => entry.key === key || entry.key.startsWith(`${key}.`));
      return found.length > 0 ? ok(found) : err({ code: "unknown_key", key, nearest: nearestTo(key) } as const);
    },
  });
}

function describePaths(config: Config, directories: Directories): Paths {
  return Object.freeze({
    configDir: directories.config,
    dataDir: config.dataDir,
    stateDir: directories.state,
    cacheDir: directories.cache,
    skillsDir: config.skillsDir,
    verifyDir: config.sandbox.verifyDir,
    customerContextDir: config.sandbox.customerContextDir,
    userFile: directories.userFile,
    projectFile: directories.projectFile,
  });
}

/** In the order of the schema; named entries by the order they were given in. */
function listEntries(merged: Layer): readonly ConfigEntry[] {
  const entries: ConfigEntry[] = [];
  const add = (node: ConfigNode, key: string): void => {
    if (node.node === "group") {
      for (const [name, child] of Object.entries(node.children)) add(child, key === "" ? name : `${key}.${name}`);
      return;
    }
    if (node.node === "map") {
      const names = [...merged.entries.keys()].filter((entry) => isChild(entry, key));
      for (const entry of names) add(node.entry, entry);
      return;
    }
    const assigned = merged.values.get(key);
    if (assigned === undefined) return;
    const value = node.node === "key" ? shownValue(node.kind.role, assigned.value) : assigned.value;
    entries.push({ key, value, origin: assigned.origin, envName: envNameOf(key) });
  };
  add(CONFIG_SCHEMA, "");
  return entries;
}

function isChild(entry: string, parent: string): boolean {
  return entry.startsWith(`${parent}.`) && !entry.slice(parent.length + 1).includes(".");
}

function shownValue(role: string, value: unknown): unknown {
  if (role !== "secret") return value;
  return value === null ? SECRET_UNSET_SHOWN : SECRET_SHOWN;
}

function nearestTo(key: string): string | null {
  const path = key.split(".");
  const name = path.pop() ?? "";
  return nearestKey(name, { path, known: [] });
}
