import type { ComposeOptions } from "#compose";
import { describeProblems, loadConfig, type Environment, type LoadedConfig } from "#config";
import { CommandFailure } from "../terminal/failure.ts";

/** Reads the configuration for one command; everything wrong with it is said at once, and nothing was started. */
export function loadSetup(environment: Environment, overrides: Readonly<Record<string, string>> = {}): LoadedConfig {
  const loaded = loadConfig({ ...environment, argvOverrides: overrides });
  if (loaded.ok) return loaded.value;
  throw new CommandFailure({
    what: ["The configuration is not usable:", ...describeProblems(loaded.error).map((line) => `  ${line}`)].join("\n"),
    kept: "Nothing was started or changed.",
    next: "Correct the places above; `silas config check FILE` checks a file before you use it.",
  });
}

/** Makes the directories of a first run, closed to everyone but the owner. Harmless when they are there. */
export async function prepareDirectories({ paths }: LoadedConfig): Promise<void> {
  // Loaded on use: a command that only asks a running Silas makes no directory.
  const { ensureDataDir, ensurePrivateDir } = await import("#stores");
  for (const dir of [paths.dataDir, paths.verifyDir, paths.customerContextDir, paths.stateDir]) {
    try {
      if (dir === paths.dataDir) ensureDataDir(dir);
      else ensurePrivateDir(dir);
    } catch (cause) {
      throw new CommandFailure({
        what: `The directory ${dir} could not be made.`,
        kept: "Nothing else was changed.",
        next: "Give yourself the right to write there, or choose another place with SILAS_HOME.",
        cause,
      });
    }
  }
}

/** How this process may open the vault, as its environment says. Nobody is asked. */
export function vaultAccess({ vaultPassphrase, sessionBus }: Environment): NonNullable<ComposeOptions["vault"]> {
  return { passphrase: vaultPassphrase, askPassphrase: async () => null, sessionBus };
}
