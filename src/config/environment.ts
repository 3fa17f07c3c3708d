import { homedir } from "node:os";
import { secretText, type SecretText } from "#model";

/** Everything the product takes from the process environment. Only this file reads it; all else gets this value. */
export type Environment = {
  readonly env: Variables;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
  /** `auto` colours on a terminal only. NO_COLOR wins over FORCE_COLOR. */
  readonly colour: "auto" | "always" | "never";
  readonly isCi: boolean;
  /** Program to open pages with, as BROWSER names it. */
  readonly browser: string | null;
  /** False where no page can be opened because there is no screen (Linux without a display server). */
  readonly hasDisplay: boolean;
  /** The login shell, for completion scripts. */
  readonly shell: string | null;
  /** SILAS_VAULT_PASSPHRASE; it is in no other member, and no child of this process inherits it. */
  readonly vaultPassphrase: SecretText | null;
  /** Whether a desktop session offers a bus, on which a secret service may be found. */
  readonly sessionBus: "present" | "absent";
};
export type Variables = Readonly<Record<string, string | undefined>>;

const PASSPHRASE = "SILAS_VAULT_PASSPHRASE";

export function readEnvironment(): Environment {
  const environment = describeEnvironment({
    env: process.env,
    cwd: process.cwd(),
    homeDir: homedir(),
    platform: process.platform,
  });
  // A browser or a shell that is started from here has no business with it.
  delete process.env[PASSPHRASE];
  return environment;
}

/** The same for given facts, so that tests and other starters need no global state. */
export function describeEnvironment(facts: Pick<Environment, "env" | "cwd" | "homeDir" | "platform">): Environment {
  const { platform } = facts;
  const { [PASSPHRASE]: passphrase = "", ...env } = facts.env;
  const set = (name: string): string | null => (env[name] === undefined || env[name] === "" ? null : env[name]);
  return Object.freeze({
    ...facts,
    env: Object.freeze(env),
    colour: colourOf(set),
    isCi: set("CI") !== null && set("CI") !== "false" && set("CI") !== "0",
    browser: set("BROWSER"),
    hasDisplay: platform !== "linux" || set("DISPLAY") !== null || set("WAYLAND_DISPLAY") !== null,
    shell: set("SHELL"),
    vaultPassphrase: secretText(passphrase === "" ? null : passphrase),
    sessionBus: platform === "linux" && set("DBUS_SESSION_BUS_ADDRESS") !== null ? "present" : "absent",
  });
}

function colourOf(set: (name: string) => string | null): Environment["colour"] {
  if (set("NO_COLOR") !== null || set("FORCE_COLOR") === "0" || set("TERM") === "dumb") return "never";
  return set("FORCE_COLOR") === null ? "auto" : "always";
}
