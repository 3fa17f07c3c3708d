import type { Command } from "commander";
import type { Environment } from "#config";
import { CommandFailure, EXIT, type ExitCode } from "./failure.ts";
import type { JournalClient } from "../client/journal-client.ts";
import { readHereAndNow, type HereAndNow } from "./local-time.ts";
import { createTerminal, type GlobalFlags, type Outside, type Terminal } from "./terminal.ts";

/** One run of one verb: what was typed, where it prints, and the way to the journal. */
export type Call<Options> = {
  /** Operands as typed, in order; variadic ones are flat. */
  readonly args: readonly string[];
  readonly options: Options & GlobalFlags;
  readonly terminal: Terminal;
  readonly here: HereAndNow;
  readonly outside: Outside;
  readonly environment: Environment;
  /** Opens the journal for the time of `work`: through the running instance, or in this process when none runs. */
  journal<T>(work: (client: JournalClient) => Promise<T>): Promise<T>;
};

export type Handler<Options> = (call: Call<Options>) => Promise<ExitCode | void>;

/** Turns a handler into a commander action. Verb files get it from `program.ts` and know nothing of the process. */
export type Act = <Options>(handler: Handler<Options>) => (...fromCommander: unknown[]) => Promise<void>;

/** Every verb file exports this: it adds its arguments, flags and actions to the command named after it. */
export type Define = (command: Command, act: Act) => void;

export function createAct(outside: Outside, finish: (code: ExitCode) => void): Act {
  return (handler) =>
    async (...fromCommander) => {
      const command = fromCommander.at(-1) as Command;
      const options = command.optsWithGlobals<Parameters<typeof handler>[0]["options"]>();
      const here = readHereAndNow();
      // Loaded on use, like the journal below: `--help` and `--version` need neither.
      const environment = (await import("#config")).readEnvironment();
      const terminal = createTerminal(outside, { ...options, colour: environment.colour });
      const running = handler({
        args: command.args,
        options,
        terminal,
        here,
        outside,
        environment,
        journal: async (work) => {
          const { withJournal } = await import("../client/journal-client.ts");
          return withJournal({ environment, version: outside.version, here }, work);
        },
      });
      finish((await running.catch((error: unknown) => Promise.reject(afterQuestions(terminal, error)))) ?? 0);
    };
}

/** A command that fails because a prompt got no answer is waiting for a decision, wherever the error surfaced. */
function afterQuestions(terminal: Terminal, error: unknown): unknown {
  if (!(error instanceof CommandFailure) || !terminal.hasDeclined()) return error;
  return new CommandFailure({ ...error.words, exit: EXIT.needsDecision });
}
