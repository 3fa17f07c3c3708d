import { setTimeout as wait } from "node:timers/promises";
import type { LocalApp } from "#compose";
import type { Environment } from "#config";
import type { SecretText } from "#model";
import type { JournalDoor } from "#ports";
import { CommandFailure } from "../terminal/failure.ts";
import type { InstanceAddress } from "./http-client.ts";
import { createHttpDoor } from "./http-door.ts";
import { findInstance } from "./instance.ts";
import { loadSetup, prepareDirectories, vaultAccess } from "./setup.ts";
import { startFailure } from "../start/words.ts";

type OpenDoor = { readonly door: JournalDoor; close(): Promise<void> };

/**
 * Other commands of the terminal hold the lock for a moment each, and an instance publishes its address when it listens.
 * Several take turns, on a machine that is busy with something else: long before this, nobody waits for a turn.
 */
const WAIT_MS = 60_000;
const LOOK_AGAIN_MS = 25;

/**
 * The journal, one way or the other: through the instance that runs on this data directory, or, when none does, opened
 * in this process and locked for as long as the command takes. Verbs cannot tell the difference.
 */
export async function openDoor({ environment }: { readonly environment: Environment }): Promise<OpenDoor> {
  const silas = await reachSilas({ environment, askPassphrase: async () => null });
  if (silas.kind === "instance") return { door: createHttpDoor(silas.address), close: async () => {} };
  return { door: silas.app.journal, close: () => silas.app.close() };
}

type Reached =
  | { readonly kind: "instance"; readonly address: InstanceAddress }
  | { readonly kind: "local"; readonly app: LocalApp };
type Reaching = {
  readonly environment: Environment;
  /** For a vault that needs a passphrase, where somebody can be asked. */
  readonly askPassphrase: () => Promise<SecretText | null>;
};

/** The instance that runs on this data directory, or everything but a server in this process. */
export async function reachSilas({ environment, askPassphrase }: Reaching): Promise<Reached> {
  const setup = loadSetup(environment);
  // Counted from the first time that somebody else had it: loading what is needed is no waiting.
  let deadlineMs: number | null = null;
  while (deadlineMs === null || performance.now() < deadlineMs) {
    const instance = await findInstance(setup);
    if (instance !== null) return { kind: "instance", address: instance.address };
    await prepareDirectories(setup);
    const { composeLocal } = await import("#compose");
    const vault = { ...vaultAccess(environment), askPassphrase };
    const composed = await composeLocal({ config: setup.config, stateDir: setup.paths.stateDir, vault });
    if (composed.ok) return { kind: "local", app: composed.value };
    if (composed.error.code !== "already_running") throw startFailure(composed.error);
    deadlineMs ??= performance.now() + WAIT_MS;
    await wait(LOOK_AGAIN_MS);
  }
  throw new CommandFailure({
    what: "Another Silas holds the data directory and does not say where it can be reached.",
    kept: "Nothing was changed.",
    next: "Try again in a moment; `silas doctor` looks for the cause.",
  });
}
