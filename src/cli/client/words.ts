import { wordPartsFor, type InvalidInput, type JournalError, type StoreFault } from "#model";
import type { ImportRefusal } from "#ports";
import { CommandFailure, EXIT, type ExitCode } from "../terminal/failure.ts";

type Refusal = JournalError | InvalidInput | ImportRefusal | StoreFault;

/** Where the terminal knows a command that leads on, it says that instead of the shared advice. */
const NEXT: { readonly [code: string]: string } = {
  timer_running: "`silas time status` shows it, `silas time stop` ends it.",
  no_timer_running: "`silas time start` starts one, `silas time add` records time afterwards.",
  task_concluded: "`silas tasks reopen` opens it again.",
  category_archived: "`silas categories unarchive` brings it back.",
  changed_since: "`silas undo --list` shows what came after.",
  already_undone: "`silas undo --list` shows what can still be undone.",
  not_found: "List what there is and name one of those.",
  disk_full: "Free some space where the data directory is (`silas paths`), then try again.",
};

/** Ends a command with the shared words for a refusal. */
export function journalFailure(refusal: Refusal, exit: ExitCode = EXIT.failed): CommandFailure {
  const { what, kept, next } = wordPartsFor(refusal);
  const advice = NEXT[refusal.code] ?? next;
  return new CommandFailure({
    what,
    kept,
    ...(advice === "" ? {} : { next: advice }),
    exit,
    ...("cause" in refusal ? { cause: refusal.cause } : {}),
  });
}
