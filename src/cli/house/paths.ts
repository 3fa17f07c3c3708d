import { join } from "node:path";
import type { Define, Handler } from "../terminal/context.ts";
import { loadSetup } from "../client/setup.ts";

export const define: Define = (paths, act) => {
  paths.option("--json", "print JSON").action(act(showPaths));
};

const showPaths: Handler<{ readonly json?: boolean }> = async ({ options, terminal, environment }) => {
  const { paths } = loadSetup(environment);
  const places = {
    data_dir: paths.dataDir,
    config_dir: paths.configDir,
    state_dir: paths.stateDir,
    cache_dir: paths.cacheDir,
    skills_dir: paths.skillsDir,
    verify_dir: paths.verifyDir,
    customer_context_dir: paths.customerContextDir,
    user_file: paths.userFile,
    project_file: paths.projectFile,
    journal: join(paths.dataDir, "db.sqlite"),
    runtime: join(paths.dataDir, "silas.db"),
    artifacts: join(paths.dataDir, "artifacts"),
    backups: join(paths.dataDir, "backups"),
  };
  if (options.json) return terminal.json(places);
  for (const [name, place] of Object.entries(places)) terminal.line(`${name.padEnd(21)} ${place ?? "(none)"}`);
};
