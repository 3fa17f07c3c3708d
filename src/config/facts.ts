import { realpathSync, statSync } from "node:fs";
import { CONFIG_SCHEMA, type Config, type ConfigFacts } from "#model";
import { pathsOf } from "./directories.ts";
import type { Environment } from "./environment.ts";

/** What later parts of the product know and configuration cannot see; today nothing else pins text. */
export type GivenFacts = Partial<Pick<ConfigFacts, "pinnedTokens" | "descriptionLint">>;

/** Looks at the world for the startup rules. */
export function gatherFacts(
  config: Config,
  { platform, given }: Pick<Environment, "platform"> & { readonly given: GivenFacts },
): ConfigFacts {
  const { sep } = pathsOf(platform);
  return {
    dataDir: canonicalPath(config.dataDir, platform),
    verifyDir: canonicalPath(config.sandbox.verifyDir, platform),
    customerContextDir: canonicalPath(config.sandbox.customerContextDir, platform),
    separator: sep === "\\" ? "\\" : "/",
    customerContextMode: platform === "win32" ? null : modeOf(config.sandbox.customerContextDir),
    timezoneKnown: isTimezone(config.scheduler.timezone),
    pinnedTokens: 0,
    descriptionLint: "deterministic",
    ...given,
  };
}

/** The path with every symlink of its existing part resolved; what does not exist yet is kept as written. */
export function canonicalPath(path: string, platform: NodeJS.Platform): string {
  const { dirname, basename, join } = pathsOf(platform);
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(canonicalPath(parent, platform), basename(path));
  }
}

function modeOf(path: string): number | null {
  try {
    return statSync(path).mode & 0o777;
  } catch {
    // Not there yet: it will be created for the owner alone.
    return null;
  }
}

function isTimezone(name: string): boolean {
  // The default is known to exist, and asking costs every start a noticeable wait.
  if (name === CONFIG_SCHEMA.children.scheduler.children.timezone.fallback) return true;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
