import { homedir } from "node:os";

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
};
export type Variables = Readonly<Record<string, string | undefined>>;

export function readEnvironment(): Environment {
  return describeEnvironment({
    env: process.env,
    cwd: process.cwd(),
    homeDir: homedir(),
    platform: process.platform,
  });
}

/** The same for given facts, so that tests and other starters need no global state. */
export function describeEnvironment(facts: Pick<Environment, "env" | "cwd" | "homeDir" | "platform">): Environment {
  const { env, platform } = facts;
  const set = (name: string): string | null => (env[name] === undefined || env[name] === "" ? null : env[name]);
  return Object.freeze({
    ...facts,
    env: Object.freeze({ ...env }),
    colour: colourOf(set),
    isCi: set("CI") !== null && set("CI") !== "false" && set("CI") !== "0",
    browser: set("BROWSER"),
    hasDisplay: platform !== "linux" || set("DISPLAY") !== null || set("WAYLAND_DISPLAY") !== null,
    shell: set("SHELL"),
  });
}

function colourOf(set: (name: string) => string | null): Environment["colour"] {
  if (set("NO_COLOR") !== null || set("FORCE_COLOR") === "0" || set("TERM") === "dumb") return "never";
  return set("FORCE_COLOR") === null ? "auto" : "always";
}
