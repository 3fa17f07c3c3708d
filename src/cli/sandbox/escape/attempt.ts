import type { SandboxConfig, SandboxRun } from "#model";
import type { SandboxCommand } from "#ports";
import { SANDBOX_NODE } from "#sandbox";
import type { Stage } from "./stage.ts";

/** One real attempt to get out of the sandbox, to stay in it, or to use more of the machine than it may. */
export type Attempt = {
  readonly name: string;
  /** A program of the system it needs; where that is missing the attempt cannot be made. */
  readonly needs?: string;
  readonly grants?: (stage: Stage) => Pick<Partial<SandboxConfig>, "readPaths" | "writePaths">;
  readonly limits?: Partial<SandboxConfig["limits"]>;
  readonly command: (stage: Stage) => SandboxCommand;
  /** Null when the sandbox held; otherwise what was seen. Without it the program's own word decides. */
  readonly judge?: (run: SandboxRun) => string | null;
};

/** The program says HELD or ESCAPED itself; one that says neither proves nothing and does not count as held. */
export function ownWord({ end, stdout, stderr }: SandboxRun): string | null {
  const said = textOf(stdout);
  const escape = /^ESCAPED.*$/m.exec(said)?.[0];
  if (escape !== undefined) return escape;
  if (/^HELD/m.test(said)) return null;
  return `proves nothing: ${JSON.stringify(end)} ${said.slice(0, 200)} ${textOf(stderr).slice(0, 200)}`;
}

export const textOf = ({ bytes }: SandboxRun["stdout"]): string => new TextDecoder().decode(bytes);

type Env = Readonly<Record<string, string>>;

/** Every script finds `held`, `escaped` and `tries` (what fails has held); facts come as variables. */
const PRELUDE = `
const fs = require("fs"), net = require("net"), { execFileSync, spawn } = require("child_process"), env = process.env;
const say = (word, what) => { fs.writeSync(1, word + " " + what + "\\n"); process.exit(0); };
const held = (what) => say("HELD", what), escaped = (what) => say("ESCAPED", what);
const tries = (work) => { let got; try { got = work(); } catch (e) { held(e.code ?? e.message); } escaped(String(got)); };
const reaches = (to) => { const s = net.connect(to); s.on("connect", () => escaped("connected"));
  s.on("error", (e) => held(e.code)); setTimeout(() => held("no answer"), 3000); };
`;

export const node = (script: string, env: Env = {}): SandboxCommand => ({
  argv: [SANDBOX_NODE, "-e", PRELUDE + script],
  env,
});

export const shell = (script: string, env: Env = {}): SandboxCommand => ({ argv: ["/bin/sh", "-c", script], env });

export const perl = (script: string, env: Env = {}): SandboxCommand => ({ argv: ["/usr/bin/perl", "-e", script], env });
