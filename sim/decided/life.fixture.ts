import { assert } from "#base";
import { composeLocal, type LocalApp } from "#compose";
import { loadConfig } from "#config";
import { layMigrated } from "../laid/migrated.ts";

export const BY = { kind: "terminal" } as const;

/** A whole Silas without a server, as a verb of the terminal has it. */
export async function openLife(home: string, onStatement: (sql: string) => void = () => {}): Promise<LocalApp> {
  const { platform } = process;
  const loaded = loadConfig({ env: { SILAS_HOME: home }, cwd: home, homeDir: home, platform, argvOverrides: {} });
  assert(loaded.ok, "the configuration is whole");
  const { config, paths } = loaded.value;
  layMigrated(config.dataDir);
  const app = await composeLocal({ config, stateDir: paths.stateDir, onStatement });
  assert(app.ok, "nothing else holds the data directory");
  assert((await app.value.keys.prepare()).ok, "there is a signing key");
  return app.value;
}
