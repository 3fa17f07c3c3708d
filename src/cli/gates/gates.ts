import { GATE_TRIGGERS, type Gate } from "#model";
import { laneOf } from "#policy";
import { loadSetup } from "../client/setup.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { EXIT } from "../terminal/failure.ts";
import { printTable } from "../terminal/table.ts";
import { checkText } from "./check.ts";
import { findGateProblems } from "./usable-gates.ts";

export const define: Define = (gates, act) => {
  gates
    .command("list")
    .description("The gates of the configuration, in the order they are asked.")
    .option("--json", "print JSON")
    .action(act(listGates));
  gates
    .command("check [text]")
    .description("Ask the gates about a text, as Silas would; nothing is recorded or sent. - reads standard input.")
    .requiredOption("--on <trigger>", GATE_TRIGGERS.join(", "))
    .option("--plan <file>", "also ask the gates of a plan, after those of the configuration")
    .option("--step <number>", "the step that just ended, for after_step")
    .option(
      "--value <name=value>",
      "a variable, or at a tool call an argument; plain decimals are numbers",
      collect,
      [],
    )
    .option("--approved", "the arguments are approved already, so gates may only narrow them")
    .option("--json", "print JSON")
    .action(act(checkText));
};

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

const listGates: Handler<{ readonly json?: boolean }> = async ({ options, terminal, environment }) => {
  const setup = loadSetup(environment);
  const problems = await findGateProblems(setup);
  const rows = setup.config.gates.system.map((gate, index) => {
    const wrong = problems.filter(({ path }) => path[0] === index);
    return { gate, state: wrong.length === 0 ? "ready" : "refused", wrong };
  });
  if (options.json) {
    terminal.json({
      gates: rows.map(({ gate, state, wrong }) => ({
        name: gate.name,
        on: gate.on,
        lane: laneOf(gate),
        provider: gate.provider,
        check: checkOf(gate),
        on_block: gate.onBlock,
        state,
        problems: wrong.map(({ code, key, message }) => ({ code, key, message })),
      })),
    });
  } else {
    printTable(terminal, {
      columns: [
        { header: "NAME", flexible: true },
        { header: "ON" },
        { header: "LANE", spare: 2 },
        { header: "PROVIDER", spare: 1 },
        { header: "CHECK", spare: 4 },
        { header: "ELSE", spare: 3 },
        { header: "STATE" },
      ],
      rows: rows.map(({ gate, state }) => [
        gate.name,
        gate.on,
        laneOf(gate),
        gate.provider,
        checkOf(gate),
        gate.onBlock,
        state,
      ]),
    });
    for (const { message } of problems) terminal.note(message);
  }
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
};

const checkOf = ({ provider, type, check }: Gate): string => (provider === "predicate" ? type : (check ?? ""));
