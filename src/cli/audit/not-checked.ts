import type { AuditVerdict } from "#model";
import { showMoment } from "../terminal/local-time.ts";

type Valid = Extract<AuditVerdict, { readonly valid: true }>;

/** The limits of a chain check, one sentence each: a valid chain proves no more than this. */
export function notChecked({ head, entriesChecked, lastSignedAt }: Valid): readonly string[] {
  const before = head.seq - entriesChecked;
  return [
    ...(before > 0
      ? [`Entries 1 to ${before}, before the last checkpoint: \`silas audit verify --full\` reads them.`]
      : []),
    lastSignedAt === null
      ? "Who wrote the entries: no head is signed."
      : `Who wrote the entries after ${showMoment(lastSignedAt)}: no later head is signed.`,
    "Whether the keys are yours: the vault stays closed. `silas doctor` compares them.",
    "Copies kept elsewhere: if all files were put back together, only an export or a backup shows it.",
  ];
}
