/**
 * journal: what may be done to the owner's record, and what each change is called.
 *
 * Decides every journal command on facts that were read for it, the identity of each change (tokens, change units,
 * batches), and what an imported record does to the one that is there.
 * May import `#model` and `#base` only.
 * Invariants: an item is in exactly one checklist (JOURNAL-04); an end is after its start (JOURNAL-05); one plan per
 * date (JOURNAL-07); one rating per target (JOURNAL-08); at most one timer runs; every write carries the revision it
 * was decided on; a write that changes nothing is no write; equal changes have equal keys on every device (BATCHID-08).
 */
export { decide, digestOfCommand, furtherReadsOf, readsOf, type JournalDecision } from "./decide.ts";
export { checkBatch, coalesce, createBatch } from "./changes/batch.ts";
export { changeUnitKey, changeUnitOf } from "./changes/change-unit.ts";
export { ancestorTokens, tokensOf } from "./changes/record-tokens.ts";
export {
  checkSeal,
  emptySeal,
  parseExportHeader,
  parseExportLine,
  renderExportHeader,
  renderExportLine,
  renderExportTrailer,
  sealLine,
  type ExportSeal,
  type LineError,
} from "./transfer/export-lines.ts";
export { decideImport } from "./transfer/import.ts";
