import type { Instant, Sha256Hex } from "#base";
import type { ChangeUnit } from "./changes.ts";
import type { JournalCommand } from "./journal-commands.ts";
import type { JournalRecord, RecordKind, RecordOf } from "./journal-records.ts";
import type { OperationId, RecordId } from "./values.ts";

/** What a decision needs to see before it can be taken; asked for as data, so that core never queries. */
export type JournalRead =
  /** These records, deleted ones included. */
  | { readonly kind: "ids"; readonly ids: readonly RecordId[] }
  /** A record and everything that hangs on it by parent, level by level, without deleted ones. */
  | { readonly kind: "tree"; readonly id: RecordId }
  /** All live records of a kind: only for the few kinds that stay few. */
  | { readonly kind: "all"; readonly of: "category" | "label" }
  /** The running time entry, if any. */
  | { readonly kind: "running" }
  /**
   * The live siblings around a place in an order: the named element and the one with the next greater key, or the
   * first, or the last.
   */
  | {
      readonly kind: "place";
      readonly of: "task" | "category";
      readonly at: "first" | "last" | { readonly after: RecordId };
    }
  /** Live links at either end of a record. */
  | { readonly kind: "links"; readonly id: RecordId }
  /** The operation and the records it changed. */
  | { readonly kind: "operation"; readonly id: OperationId };

export type JournalFacts = {
  readonly records: ReadonlyMap<RecordId, JournalRecord>;
  readonly operations: ReadonlyMap<OperationId, AppliedOperation>;
};

type WriteOf<K extends RecordKind> = {
  [P in K]: {
    readonly id: RecordId;
    readonly kind: P;
    readonly body: RecordOf<P>["body"];
    readonly deleted: boolean;
    /** The revision this decision saw, or null when the record must not exist yet. */
    readonly expectedRevision: number | null;
  };
}[K];
/** One record version to be written. */
export type RecordWrite = WriteOf<RecordKind>;

/** One decided command, to be committed whole or not at all. */
export type JournalCommit = {
  readonly operationId: OperationId;
  readonly command: JournalCommand;
  /** Digest of the canonical command: the same id with another command is refused. */
  readonly commandDigest: Sha256Hex;
  readonly at: Instant;
  readonly subjectId: RecordId | null;
  readonly writes: readonly RecordWrite[];
  /** Set when this commit takes another operation back. */
  readonly undoes: OperationId | null;
};

/** An operation as remembered in `db.sqlite`, with the images that undo needs. [JOURNAL-11] */
export type AppliedOperation = {
  readonly operationId: OperationId;
  readonly commandDigest: Sha256Hex;
  readonly command: JournalCommand;
  readonly at: Instant;
  readonly subjectId: RecordId | null;
  readonly recordIds: readonly RecordId[];
  /** The changed records as they were before; created ones are missing here. */
  readonly before: readonly JournalRecord[];
  /** The revision each changed record got. */
  readonly revisions: ReadonlyMap<RecordId, number>;
  readonly undoneBy: OperationId | null;
};

export type JournalCommitted = {
  readonly records: readonly JournalRecord[];
  /** One unit per record version, in commit order; the provenance of the change feed. */
  readonly units: readonly ChangeUnit[];
};

/** The commit met another state than the decision saw; nothing was written, deciding again may succeed. */
export type CommitRefusal =
  | { readonly code: "stale_revision"; readonly id: RecordId }
  | { readonly code: "operation_exists"; readonly operation: AppliedOperation };

/** What an import did, by count; `conflicts` names records that differ on both sides and were kept as they were. */
export type ImportReport = {
  readonly added: number;
  readonly replaced: number;
  readonly unchanged: number;
  readonly conflicts: readonly RecordId[];
};
