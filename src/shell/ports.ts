/**
 * ports: every interface the shell depends on, on one page.
 *
 * Runtime and adapters know only this page of each other; `compose.ts` decides what stands behind each port.
 * Every call that may touch the world is asynchronous, so that a second process could stand behind it, and answers
 * with a Result: a Fault is the world's failure, an Outcome is an expected refusal. Nothing here throws for either.
 */
import type { Instant, Result } from "#base";
import type {
  AnswerOf,
  CommitRefusal,
  HostId,
  ImportReport,
  InvalidInput,
  JournalCommit,
  JournalCommitted,
  JournalError,
  JournalFacts,
  JournalOutcome,
  JournalQuery,
  JournalRead,
  JournalRecord,
  JournalRequest,
  NotificationBatch,
  StoreFault,
} from "#model";

export interface Clock {
  now(): Instant;
}

export interface Randomness {
  bytes(count: number): Uint8Array;
}

/** Runs work later; cancelled by the returned function. The only way the shell waits. */
export interface Timers {
  after(delayMs: number, work: () => void): () => void;
}

/** Structured log. Fields are an allowlist in the adapter; secrets never reach it. */
export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
export type LogFields = { readonly [name: string]: unknown };

/** The owner's journal in `db.sqlite`. Only `commit` and `importRecords` write. */
export interface JournalStore {
  readonly hostId: HostId;
  read(reads: readonly JournalRead[]): Promise<Result<JournalFacts, StoreFault>>;
  /** All writes, their provenance, the operation and its images in one transaction, or nothing. [JOURNAL-10] */
  commit(commit: JournalCommit): Promise<Result<JournalCommitted, CommitRefusal | StoreFault>>;
  answer<Q extends JournalQuery>(query: Q): Promise<Result<AnswerOf<Q>, InvalidInput | StoreFault>>;
  /** Every record, deleted ones included, ordered by id. */
  exportRecords(): AsyncIterable<JournalRecord>;
  /** Writes records with the provenance they carry; each is decided by `#journal` before it gets here. */
  importRecords(records: readonly JournalRecord[]): Promise<Result<JournalCommitted, StoreFault>>;
  close(): Promise<void>;
}

/** Signed-in devices, in `silas.db`. Only digests of tokens are stored. */
export interface SessionStore {
  add(session: Session): Promise<Result<void, StoreFault>>;
  findByDigest(tokenDigest: string): Promise<Result<Session | null, StoreFault>>;
  list(): Promise<Result<readonly Session[], StoreFault>>;
  touch(sessionId: string, at: Instant): Promise<Result<void, StoreFault>>;
  revoke(sessionId: string, at: Instant): Promise<Result<void, StoreFault>>;
}
export type Session = {
  readonly sessionId: string;
  readonly deviceName: string;
  readonly tokenDigest: string;
  readonly createdAt: Instant;
  readonly lastSeenAt: Instant;
  readonly revokedAt: Instant | null;
};

/** The in-process feed of committed changes. Nothing but the runtime publishes on it. */
export interface ChangeFeed {
  /**
   * A listener that answers with a promise gets the next batch when it settles. One that leaves too many unread loses
   * them and is told so by `lost`, so that it can load afresh; no listener ever waits for another.
   */
  subscribe(listener: (batch: NotificationBatch) => void | Promise<void>, lost?: () => void): () => void;
}

/** What a channel, the terminal and later every tool may do with the journal; the runtime stands behind it. */
export interface JournalDoor {
  submit(request: JournalRequest): Promise<Result<JournalOutcome, JournalError | StoreFault>>;
  ask<Q extends JournalQuery>(query: Q): Promise<Result<AnswerOf<Q>, InvalidInput | StoreFault>>;
  /** JSON lines, each without its line break. */
  exportLines(): AsyncIterable<string>;
  importLines(lines: AsyncIterable<string>): Promise<Result<ImportReport, ImportRefusal | StoreFault>>;
}
/** The line at fault; nothing of the import was written. */
export type ImportRefusal = { readonly code: "invalid_line"; readonly line: number; readonly reason: string };
