import { CommandFailure, EXIT, type FailureWords } from "./failure.ts";
import { askYesNo } from "./prompts.ts";
import type { Terminal } from "./terminal.ts";

type Question = {
  /** Why it has to be asked, the beginning of a sentence. */
  readonly because: string;
  readonly question: string;
  /** What is said after a no. */
  readonly declined: string;
};

/** Asks before something that `--yes` would do at once; anything but a yes ends the command. */
export async function askFirst(terminal: Terminal, { because, question, declined }: Question): Promise<void> {
  const kept = "Nothing was changed.";
  requirePerson(terminal, {
    what: `${because}, and nobody can be asked here.`,
    kept,
    next: "Run it again with --yes.",
  });
  if ((await askYesNo({ message: question, initialValue: false })) === true) return;
  throw new CommandFailure({ what: declined, kept, exit: EXIT.needsDecision });
}

/** Ends the command with these words where nobody can be asked. */
export function requirePerson(terminal: Terminal, words: Omit<FailureWords, "exit">): void {
  if (!terminal.isInteractive) throw new CommandFailure({ ...words, exit: EXIT.needsDecision });
}
