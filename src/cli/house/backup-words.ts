import { wordPartsFor, type StoreFault } from "#model";
import type { BackupProblem, RestoreProblem } from "#stores";
import { CommandFailure } from "../terminal/failure.ts";

const UNREADABLE: { readonly [reason: string]: string } = {
  no_manifest: "it has no manifest.json",
  not_a_silas_manifest: "its manifest.json is not one of Silas",
  not_json: "its manifest.json cannot be read",
};

/** The act happened all the same, and the owner should know that the log does not tell of it. */
export const UNRECORDED = "This could not be entered into the audit log.";

/** Why a backup could not be made, checked or put back, in words. */
export function backupFailure(problem: BackupProblem | RestoreProblem | StoreFault): CommandFailure {
  const kept = "Your data is as it was.";
  switch (problem.code) {
    case "target_exists":
      return new CommandFailure({
        what: `${problem.path} exists already.`,
        kept,
        next: "Name a new directory with --to.",
      });
    case "nothing_to_back_up":
      return new CommandFailure({
        what: `There is no database in ${problem.path} yet.`,
        next: "`silas init` makes them.",
      });
    case "backup_unreadable":
      return new CommandFailure({
        what: `${problem.path} is not a backup: ${UNREADABLE[problem.reason] ?? problem.reason}.`,
        kept,
        next: "Name the directory that `silas backup` printed.",
      });
    case "backup_damaged":
      return new CommandFailure({
        what: `${problem.file} is not what its manifest says; the backup is damaged.`,
        kept,
        next: "Use another backup.",
      });
    case "instance_running":
      return new CommandFailure({
        what: "Silas is running, and a restore needs the data for itself.",
        kept,
        next: "`silas stop` first, then restore.",
      });
    default: {
      const { what, next } = wordPartsFor(problem);
      return new CommandFailure({ what, kept, next, cause: problem.cause });
    }
  }
}
