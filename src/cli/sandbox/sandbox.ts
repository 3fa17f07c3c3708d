import { oneLine } from "#base";
import { composeSandboxes } from "#compose";
import { sandboxWords } from "#model";
import { systemRandomness } from "#runtime";
import { loadSetup } from "../client/setup.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT } from "../terminal/failure.ts";
import { ATTEMPTS, runSuite, type Outcome } from "./escape/suite.ts";

export const define: Define = (sandbox, act) => {
  sandbox
    .command("test")
    .description("Try to break out of the sandbox of this machine, in many ways; nothing outside is changed.")
    .option("--json", "print JSON")
    .action(act(testSandbox));
};

const testSandbox: Handler<{ readonly json?: boolean }> = async ({ options, terminal, environment }) => {
  const { config, paths } = loadSetup(environment);
  const { stateDir, dataDir } = paths;
  const sandboxes = composeSandboxes({ config, stateDir, searchPath: environment.env["PATH"] ?? "" });
  try {
    const support = await sandboxes.support();
    if (support.state === "refused") {
      const { what, fix } = sandboxWords(support);
      if (options.json) {
        terminal.json({
          ok: false,
          backend: support.backend,
          refused: { reason: support.reason, what, fix },
          attempts: [],
        });
        return EXIT.failed;
      }
      throw new CommandFailure({
        what: `No program can run here: ${what}.`,
        kept: "Nothing was run.",
        next: `Fix: ${fix}.`,
      });
    }
    const outcomes = await runSuite({
      sandboxes,
      attempts: ATTEMPTS,
      own: [dataDir, stateDir],
      mark: `mark-${Buffer.from(systemRandomness.bytes(12)).toString("hex")}`,
      onOutcome: (outcome) => void (options.json || terminal.line(lineOf(outcome))),
    });
    const count = (state: Outcome["state"]): number => outcomes.filter((outcome) => outcome.state === state).length;
    const sums = { held: count("held"), escaped: count("escaped"), not_tried: count("not_tried") };
    if (options.json) {
      terminal.json({
        ok: sums.escaped === 0,
        backend: support.backend,
        version: support.version,
        ...sums,
        attempts: outcomes,
      });
    } else {
      terminal.line(`${support.version}: ${sums.held} held, ${sums.escaped} escaped, ${sums.not_tried} not tried`);
    }
    return sums.escaped === 0 ? EXIT.ok : EXIT.failed;
  } finally {
    await sandboxes.close();
  }
};

const WORDS: { readonly [S in Outcome["state"]]: string } = {
  held: "held     ",
  escaped: "ESCAPED  ",
  not_tried: "not tried",
};

const lineOf = ({ name, state, detail }: Outcome): string =>
  `${WORDS[state]}  ${name}${detail === null ? "" : ` (${oneLine(detail)})`}`;
