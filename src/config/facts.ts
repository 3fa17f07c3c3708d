import { realpathSync, statSync } from "node:fs";
import type { Config, ConfigFacts } from "#model";
import { pathsOf } from "./directories.ts";
import { dataDirUse, folderUse } from "./own-folder.ts";
import type { Environment } from "./environment.ts";

/** What later parts of the product know and configuration cannot see; today nothing else pins text. */
export type GivenFacts = Partial<Pick<ConfigFacts, "pinnedTokens" | "descriptionLint">>;

/** Looks at the world for the startup rules. */
export function gatherFacts(
  config: Config,
  { given, ...places }: Pick<Environment, "env" | "homeDir" | "platform"> & { readonly given: GivenFacts },
): ConfigFacts {
  const { platform } = places;
  const { sep, relative } = pathsOf(platform);
  const around = { ...places, canonical: (path: string) => canonicalPath(path, platform) };
  const { verifyDir, workDir, customerContextDir } = config.sandbox;
  // Folders that the owner may fill before the first start.
  const filled = [verifyDir, workDir, customerContextDir, config.skillsDir];
  const expected = filled.map((path) => relative(config.dataDir, path).split(sep)[0] ?? "");
  return {
    dataDirUse: dataDirUse(config.dataDir, { ...around, expected }),
    workDirUse: folderUse(workDir, around),
    verifyDirUse: folderUse(verifyDir, around),
    dataDir: canonicalPath(config.dataDir, platform),
    verifyDir: canonicalPath(verifyDir, platform),
    customerContextDir: canonicalPath(customerContextDir, platform),
    separator: sep === "\\" ? "\\" : "/",
    customerContextMode: platform === "win32" ? null : modeOf(customerContextDir),
    timezoneKnown: isTimezone(config.scheduler.timezone),
    pinnedTokens: 0,
    descriptionLint: "deterministic",
    ...given,
  };
}

/** The path with every symlink of its existing part resolved; what does not exist yet is kept as written. */
function canonicalPath(path: string, platform: NodeJS.Platform): string {
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

function isTimezone(name: string | null): boolean {
  // The system's own zone exists, and asking costs every start a noticeable wait.
  if (name === null) return true;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
