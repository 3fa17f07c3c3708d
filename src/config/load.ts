import { statSync } from "node:fs";
import { assert, err, ok, type Result } from "#base";
import { checkConfigRules, CONFIG_SCHEMA, toCamel, type Config } from "#model";
import { assemble } from "./assemble.ts";
import { readConfigFile } from "./config-file.ts";
import { readDefaults } from "./defaults.ts";
import { findDirectories, pathsOf, type Directories } from "./directories.ts";
import type { Environment } from "./environment.ts";
import { gatherFacts, type GivenFacts } from "./facts.ts";
import { deepFreeze } from "./freeze.ts";
import { emptyLayer, type Layer } from "./layer.ts";
import { describeLoaded, type LoadedConfig } from "./loaded.ts";
import { problem, type ConfigProblem, type ConfigProblems, type Origin } from "./problems.ts";
import type { Source } from "./read-key.ts";
import { readFlags, readVariables } from "./text-layer.ts";
import { unreadVariables } from "./unread-variables.ts";

export type LoadOptions = Pick<Environment, "env" | "cwd" | "homeDir" | "platform"> & {
  /** Values from flags by dotted key, as text: `{ "channels.web.port": "9000" }`. */
  readonly argvOverrides?: Readonly<Record<string, string>>;
  readonly facts?: GivenFacts;
};

/** Reads, merges, checks and freezes: flag > variable > project file > user file > default. All problems together. */
export function loadConfig(options: LoadOptions): Result<LoadedConfig, ConfigProblems> {
  const directories = findDirectories(options);
  const here = sourceAt(options, options.cwd);
  const layers = [
    ...configFiles(directories).map((file) => readConfigFile(file, sourceAt(options, baseOf(file, options)))),
    readVariables(here),
    readFlags(options.argvOverrides ?? {}, here),
  ];
  return settle({ options, directories, layers });
}

/** Checks one file as if it alone stood above the defaults, rules included. `${NAME}` is looked up in `env`. */
export function checkConfigFile(path: string, options: LoadOptions): Result<LoadedConfig, ConfigProblems> {
  const file = pathsOf(options.platform).resolve(options.cwd, path);
  const layer = readConfigFile(file, sourceAt(options, baseOf(file, options)));
  return settle({ options, directories: findDirectories(options), layers: [layer] });
}

type Settling = {
  readonly options: LoadOptions;
  readonly directories: Directories;
  /** Lowest first, without the defaults. */
  readonly layers: readonly Layer[];
};

function settle({ options, directories, layers }: Settling): Result<LoadedConfig, ConfigProblems> {
  // Every place of Silas would be looked for in the folder of the moment, and `~/x` would be `/x`.
  if (!pathsOf(options.platform).isAbsolute(options.homeDir)) {
    return err([problem("home_unknown", { key: null, origin: { kind: "env", name: "HOME" } })]);
  }
  const given = mergeLayers(layers);
  // A document that cannot be read leaves nothing to judge.
  if (given.problems.some(({ key }) => key === null)) return refuse(given.problems);
  const defaults = readDefaults({ directories, given, source: sourceAt(options, options.cwd) });
  const merged = mergeLayers([defaults, given]);
  const wire = assemble(CONFIG_SCHEMA, { path: [], layer: merged, origin: { kind: "default" } });
  const { problems } = merged;
  // With an entry that is not complete there is nothing whole to judge.
  if (problems.some(({ code }) => code === "missing_key")) return refuse(problems);
  // Every value in it passed its own parser; where one did not, the default stands in until it is repaired.
  const config = deepFreeze(toCamel(CONFIG_SCHEMA, wire)) as Config;
  problems.push(...ruleProblems(config, { options, merged }));
  if (problems.length > 0) return refuse(problems);
  return ok(describeLoaded({ config, merged, directories, unread: unreadVariables(options, merged) }));
}

function refuse(problems: readonly ConfigProblem[]): Result<never, ConfigProblems> {
  const wrongKeys = new Set(problems.filter(({ code }) => code !== "missing_key").map(({ key }) => key));
  // A value that was refused also leaves its key missing; that is said once.
  const [first, ...rest] = problems.filter(({ code, key }) => code !== "missing_key" || !wrongKeys.has(key));
  assert(first !== undefined, "configuration is refused for a reason");
  return err([first, ...rest]);
}

/** Broken rules, except about keys that are wrong by themselves: a rule over a stand-in would mislead. */
function ruleProblems(
  config: Config,
  { options, merged }: { readonly options: LoadOptions; readonly merged: Layer },
): readonly ConfigProblem[] {
  const facts = gatherFacts(config, { ...options, given: options.facts ?? {} });
  const wrongKeys = new Set(merged.problems.map((found) => found.key));
  return checkConfigRules(config, facts)
    .filter(({ key, others }) => ![key, ...others].some((name) => wrongKeys.has(name)))
    .map(({ code, key, others }) => problem(code, { key, others, origin: blame([key, ...others], merged) }));
}

/** The first key of a broken rule that somebody wrote: pointing at a default would not help. */
function blame(keys: readonly string[], merged: Layer): Origin {
  const origins = keys.map((key) => merged.values.get(key)?.origin ?? merged.entries.get(key));
  return origins.find((origin) => origin !== undefined && origin.kind !== "default") ?? { kind: "default" };
}

/** Later layers win, key by key; problems of all of them count. */
function mergeLayers(layers: readonly Layer[]): Layer {
  const merged = emptyLayer();
  for (const { values, entries, places, references, problems } of layers) {
    for (const [key, assigned] of values) {
      merged.values.set(key, assigned);
      // A list replaces the one before it whole, and with it where its parts stood.
      for (const place of merged.places.keys()) if (place.startsWith(`${key}.`)) merged.places.delete(place);
    }
    for (const [key, origin] of places) merged.places.set(key, origin);
    for (const [key, origin] of entries) merged.entries.set(key, origin);
    for (const name of references) merged.references.add(name);
    merged.problems.push(...problems);
  }
  return merged;
}

function configFiles({ userFile, projectFile }: Directories): readonly string[] {
  const hasUserFile = userFile !== projectFile && statSync(userFile, { throwIfNoEntry: false }) !== undefined;
  return [...(hasUserFile ? [userFile] : []), ...(projectFile === null ? [] : [projectFile])];
}

/** Relative paths in `config/silas.yaml` start at the checkout, in any other file beside the file. */
function baseOf(file: string, { platform, cwd }: LoadOptions): string {
  const { dirname, join, resolve } = pathsOf(platform);
  return file === join(resolve(cwd), "config", "silas.yaml") ? resolve(cwd) : dirname(file);
}

function sourceAt(environment: LoadOptions, baseDir: string): Source {
  return { environment, baseDir: pathsOf(environment.platform).resolve(baseDir) };
}
