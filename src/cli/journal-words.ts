import { wordsFor, type InvalidInput, type JournalError, type StoreFault } from "#model";
import type { ImportRefusal } from "#ports";
import { CommandFailure, EXIT, type ExitCode } from "./failure.ts";

type Refusal = JournalError | InvalidInput | ImportRefusal | StoreFault;

/** What the terminal can add to the shared sentence: the command that leads on. */
const NEXT: { readonly [code: string]: string } = {
  timer_running: "`silas time status` shows it, `silas time stop` ends it.",
  no_timer_running: "`silas time start` starts one.",
  task_concluded: "`silas tasks reopen` opens it again.",
  category_archived: "`silas categories unarchive` brings it back.",
  changed_since: "`silas undo --list` shows what came after.",
  already_undone: "`silas undo --list` shows what can still be undone.",
  store_corrupt: "`silas doctor` checks the databases; `silas restore` puts a backup back.",
  disk_full: "Free some space on the disk of the data directory (`silas paths`), then try again.",
  store_busy: "Try again in a moment.",
};

/** Ends a command with the journal's own words. Every refusal means that nothing was written. */
export function journalFailure(refusal: Refusal, exit: ExitCode = EXIT.failed): CommandFailure {
  const next = NEXT[refusal.code];
  return new CommandFailure({
    what: wordsFor(refusal),
    kept: "Nothing was changed.",
    ...(next === undefined ? {} : { next }),
    exit,
    ...("cause" in refusal ? { cause: refusal.cause } : {}),
  });
}
