import type { Result } from "#base";
import type { AuditDraft } from "#model";

type Value = string | number | null;
type Values = { readonly [name: string]: Value };

/** The open `silas.db`, as far as the engine uses it. Every method throws what SQLite throws. */
export interface Database {
  run(sql: string, values?: Values): number;
  get<Row>(sql: string, values?: Values): Row | null;
  all<Row>(sql: string, values?: Values): readonly Row[];
  /** The same as arrays of columns: several times as fast. */
  columns<Row extends readonly unknown[]>(sql: string, values?: Values): readonly Row[];
  transaction<T, E>(work: () => Result<T, E>): Result<T, E>;
  /** Commits without a sync: the commit survives a killed process, but a power loss may undo it. */
  unsyncedTransaction<T, E>(work: () => Result<T, E>): Result<T, E>;
  /** Runs work once the current transaction is on disk, and not at all if it is rolled back. */
  afterCommit(work: () => void): void;
}

/** Appends an entry to the audit chain, in the transaction that is open. */
export type RecordAct = (draft: AuditDraft) => void;
