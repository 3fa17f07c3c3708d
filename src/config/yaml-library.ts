import { createRequire } from "node:module";
import type * as Yaml from "yaml";

const require = createRequire(import.meta.url);

/** The YAML library, loaded on first use: a start without any configuration file does not wait for it. */
export function yamlLibrary(): typeof Yaml {
  return require("yaml") as typeof Yaml;
}
