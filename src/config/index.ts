/**
 * config: reads, validates and freezes the configuration, and is the only room that reads the process environment.
 *
 * May import `#model` and `#base`. The schema, the key codec and the startup rules are pure and live in `#model`.
 * Precedence: flag > `SILAS_A__B` > project file (`config/silas.yaml` under the working directory) > user file >
 * default; every value knows where it came from.
 *
 *   const environment = readEnvironment();
 *   const loaded = loadConfig({ ...environment, argvOverrides: { "channels.web.port": "9000" } });
 *   if (!loaded.ok) describeProblems(loaded.error)   // lines for people; refuse to start [CFG-21]
 *   loaded.value.config.channels.web.port, .paths.dataDir, .originOf(key), .list(), .find("channels.web")
 *   checkConfigFile("silas.yaml", environment)       // the same answer for one file over the defaults
 * Invariants: nothing throws for bad input; all problems come together; no problem, entry or dump holds a secret
 * (only `config...reveal()` does); a broken startup rule is an error, never a warning (CFG-21 to CFG-32).
 */
export { readEnvironment, type Environment } from "./environment.ts";
export { CONFIG_ROWS, isNotUsedYet } from "./key-names.ts";
export { checkConfigFile, loadConfig, type LoadOptions } from "./load.ts";
export type { ConfigEntry, LoadedConfig } from "./loaded.ts";
export { formatOrigin, type ConfigProblemCode, type Origin } from "./problems.ts";
export { describeProblem, describeProblems, describeUnread } from "./words.ts";
export { parseYaml } from "./yaml-document.ts";
