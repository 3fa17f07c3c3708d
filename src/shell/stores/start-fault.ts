import type { StoreFault } from "#model";

/** Why a store could not be opened. Facts first; `startFaultSentence` makes the words for the person at the terminal. */
export type StartFault =
  | { readonly code: StoreFault["code"]; readonly file: string; readonly cause?: unknown }
  | { readonly code: "migration_files_invalid"; readonly file: string; readonly reason: string }
  | { readonly code: "migration_edited"; readonly file: string; readonly migration: string }
  | { readonly code: "migration_missing"; readonly file: string; readonly migration: string }
  | { readonly code: "migration_out_of_order"; readonly file: string; readonly migration: string }
  | {
      readonly code: "migration_failed";
      readonly file: string;
      readonly migration: string;
      /** The verified copy taken before, when there was something to keep. */
      readonly backup: string | null;
      readonly cause?: unknown;
    }
  | { readonly code: "backup_failed"; readonly file: string; readonly cause?: unknown };

/** What happened, what was kept, what to do: one line each. */
export function startFaultSentence(fault: StartFault): string {
  const [what, kept, action] = words(fault);
  return `${what}\n${kept}\n${action}`;
}

const UNTOUCHED = "Nothing was changed; the file is as it was.";
const RESTORE = "Put a copy back with `silas restore`, or move the file away to start with an empty one.";

function words(fault: StartFault): readonly [string, string, string] {
  const { file } = fault;
  switch (fault.code) {
    case "store_busy":
      return [`${file} is in use by another program.`, UNTOUCHED, "Close the other program and start again."];
    case "store_read_only":
      return [`${file} cannot be written.`, UNTOUCHED, "Check that the file and its directory belong to you."];
    case "disk_full":
      return [`There is no space left to open ${file}.`, UNTOUCHED, "Free some space and start again."];
    case "store_corrupt":
      return [`${file} is damaged or not a Silas database.`, UNTOUCHED, RESTORE];
    case "store_failed":
      return [`${file} could not be opened.`, UNTOUCHED, "Check that the file and its directory belong to you."];
    case "migration_files_invalid":
      return [
        `The migration files for ${file} are not in order: ${fault.reason}.`,
        UNTOUCHED,
        "Install this version of Silas again.",
      ];
    case "migration_edited":
      return [
        `${file} was made with another ${fault.migration} than this version of Silas has.`,
        "Nothing was changed or applied again.",
        "Install an unmodified version of Silas, or ask whoever changed the migration.",
      ];
    case "migration_missing":
      return [
        `${file} already has ${fault.migration}, which this version of Silas does not know.`,
        UNTOUCHED,
        "Use the newer version of Silas that made it; databases are never taken back to an older one.",
      ];
    case "migration_out_of_order":
      return [
        `${fault.migration} is not applied to ${file}, but a later migration is.`,
        UNTOUCHED,
        "Install this version of Silas again.",
      ];
    case "migration_failed":
      return [
        `${fault.migration} could not be applied to ${file}.`,
        fault.backup === null
          ? "It was taken back whole; there was no data yet."
          : `It was taken back whole; a verified copy from before is in ${fault.backup}.`,
        "Nothing was started. `silas logs` has the cause.",
      ];
    case "backup_failed":
      return [
        `No verified copy of ${file} could be made before its migration.`,
        UNTOUCHED,
        "Free some space and start again.",
      ];
  }
}
