/**
 * Every limit of the product that is not configuration, each with its reason.
 * A loop, queue, text or wait without a limit here is a bug.
 */
export const LIMITS = {
  /** A title is one line a person reads at a glance; longer text belongs in notes. */
  titleChars: 500,
  /** A note or description: a long essay fits, a pasted log file does not (and would slow every search). */
  textChars: 100_000,
  /** Names of categories, labels and devices appear in chips and menus. */
  nameChars: 80,
  /** Ids are UUIDs or derived names such as `plan-2026-11-15`; the margin is for ids of imported records. */
  idChars: 128,
  /** More labels than this on one task cannot be shown and slow the list. */
  labelsPerTask: 50,
  /** One bulk command stays well under a frame, a transaction of milliseconds and a readable undo. */
  recordsPerCommand: 500,
  /** Blocks of a day: one every five minutes. */
  blocksPerDay: 288,
  /** Pinned tasks of a day; beyond this nothing is pinned. */
  pinsPerDay: 100,
  /** An estimate above a thousand hours is a typing error. */
  estimateMinutes: 60_000,
  /** One page of any list; the next page is asked for with a cursor. */
  pageRows: 500,
  /** Search shows the best hits; nobody pages beyond these. */
  searchRows: 200,
  /** Terms of one search query; more do not narrow the result. */
  searchTerms: 16,
  /** Request and frame bodies other than import: the largest command (500 long items) fits. */
  bodyBytes: 1_048_576,
  /** One imported or exported line: the largest record (text 100,000 characters, escaped) fits. */
  importLineBytes: 2_097_152,
  /** Nesting of any JSON or YAML document read from outside. */
  documentDepth: 64,
  /** Tries of one commit when another write changed a record between read and commit. */
  commitTriesMax: 5,
  /** How long a one-time enrolment code may wait to be opened. */
  enrolmentTtlMs: 600_000,
  /** How long a socket may stay open without authenticating (WEB-04). */
  socketAuthMs: 5_000,
} as const;
