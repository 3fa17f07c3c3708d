import type { Define, Handler } from "../terminal/context.ts";
import { requireUsableGates } from "../gates/usable-gates.ts";
import { keysFailure } from "../keys/words.ts";
import { startFailure } from "./words.ts";
import { loadSetup, prepareDirectories, vaultAccess } from "../client/setup.ts";

export const define: Define = (init, act) => {
  init.option("--yes", "ask nothing (nothing is asked)").action(act(initialise));
};

const initialise: Handler<object> = async ({ terminal, environment }) => {
  const setup = loadSetup(environment);
  await requireUsableGates(setup);
  await prepareDirectories(setup);
  const [{ composeLocal }, { approvalSettings }] = await Promise.all([import("#compose"), import("#runtime")]);
  const composed = await composeLocal({
    config: setup.config,
    stateDir: setup.paths.stateDir,
    vault: vaultAccess(environment),
  });
  if (!composed.ok) {
    if (composed.error.code !== "already_running") throw startFailure(composed.error);
    return terminal.line(`Silas is running on ${setup.paths.dataDir} already; there is nothing to prepare.`);
  }
  const prepared = await composed.value.keys.prepare();
  const { vault, signing } = await composed.value.keys.report({ kind: "terminal" });
  await composed.value.close();
  if (!prepared.ok) throw keysFailure(prepared.error);
  terminal.line(`Silas is ready in ${setup.paths.dataDir}`);
  if (signing.state === "ready") {
    terminal.line(`Your signing key is in ${VAULTS[vault.backend]}; \`silas keys list\` shows its public half.`);
  } else terminal.note("The signing key cannot be used now; `silas doctor` says why.");
  // Nothing is asked of the provider here: whether its key is right shows at the first search.
  const { provider } = setup.config.search;
  if (provider !== null && approvalSettings(setup.config).webSearch === "absent") {
    terminal.line(`Web search is off: it needs the key of ${provider}, in SEARCH_API_KEY.`);
  }
  terminal.line("Start it with `silas start`.");
};

const VAULTS = { secret_service: "the secret service of your desktop", encrypted_file: "an encrypted file" } as const;
