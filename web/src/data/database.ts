import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { JournalCommand, OperationId, RecordId } from "#model";

/** A command the owner gave, kept until the server has answered for it. */
export type Waiting = {
  readonly sequence: number;
  readonly operationId: OperationId;
  readonly command: JournalCommand;
  readonly atMs: number;
  /** Why the server refused it; null while it waits. A refused one stays until the owner discards it. */
  readonly refusal: { readonly code: string; readonly message: string } | null;
  /** The records it made, once the server has answered: what was read since then may hold them already. */
  readonly madeIds?: readonly RecordId[];
  /** True in memory until the browser has stored it. */
  readonly isStoring?: boolean;
};

type StoredRead = { readonly key: string; readonly answer: unknown; readonly atMs: number };

interface PageDatabase extends DBSchema {
  reads: { key: string; value: StoredRead };
  outbox: { key: number; value: Waiting };
}

let opened: Promise<IDBPDatabase<PageDatabase>> | null = null;

/** This browser's own copy of what it read and what it still has to send. */
export function database(): Promise<IDBPDatabase<PageDatabase>> {
  opened ??= openDB<PageDatabase>("silas", 1, {
    upgrade: (db) => {
      db.createObjectStore("reads", { keyPath: "key" });
      db.createObjectStore("outbox", { keyPath: "sequence" });
    },
    terminated: () => {
      opened = null;
    },
  });
  return opened;
}

/** Drops the copy of what was read. What has not been sent yet is not touched. */
export async function clearReads(): Promise<void> {
  await (await database()).clear("reads");
}
