import { chmodSync, existsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { assert, InvariantError, type Result } from "#base";
import { ensurePrivateDir, ensurePrivateFile, PRIVATE_FILE_MODE } from "./private-files.ts";

/** What may be bound: never undefined, never an integer beyond 2^53. */
type SqlValue = string | number | null;
type SqlRow = readonly SqlValue[];
export type SqlParams = { readonly [name: string]: SqlValue };

/** How much a commit waits for: `FULL` survives power loss, `NORMAL` may lose the last commits but stays whole. */
type Synchronous = "FULL" | "NORMAL";

export type SqliteOptions = {
  readonly path: string;
  readonly synchronous: Synchronous;
  /** Sees each statement before it runs. The simulation cuts the process here; it may throw. */
  readonly onStatement?: ((sql: string) => void) | undefined;
};

/** One open database file. Every method throws what SQLite throws; stores turn that into faults at their border. */
export interface Sqlite {
  readonly path: string;
  /** The open handle, for the backup API only. */
  readonly handle: DatabaseSync;
  /** Returns the number of changed rows. */
  run(sql: string, params?: SqlParams): number;
  get<Row>(sql: string, params?: SqlParams): Row | null;
  all<Row>(sql: string, params?: SqlParams): readonly Row[];
  /** The same as arrays of columns, for long reads: several times as fast. */
  columns<Row extends readonly unknown[]>(sql: string, params?: SqlParams): readonly Row[];
  /** Runs `INSERT ... VALUES (?, ?)` for each of these rows, with its values in their places. */
  insert(sql: string, rows: readonly SqlRow[]): void;
  /** All or nothing: commits when the work answers ok, takes everything back when it answers an error or throws. */
  transaction<T, E>(work: () => Result<T, E>): Result<T, E>;
  /** Commits without a sync: the commit survives a killed process, but a power loss may undo it. */
  unsyncedTransaction<T, E>(work: () => Result<T, E>): Result<T, E>;
  /**
   * Runs work once the current transaction is on the disk, and not at all if it is rolled back; the same function runs once,
   * however often it is given. If it throws, the caller of `transaction` gets the fault although the commit stands: whatever
   * builds on the commit must not go on.
   */
  afterCommit(work: () => void): void;
  /** From now on this connection refuses every write; reads go on. */
  freeze(): void;
  thaw(): void;
  /** Another connection to the same file, with the same durability and seen by the same observer. */
  openSibling(): Sqlite;
  close(): void;
}

export const BUSY_TIMEOUT_MS = 5000;

/** Opens a file, making it private before SQLite writes a byte. Throws without touching a file that is no database. */
export function openSqlite(options: SqliteOptions): Sqlite {
  const { path, synchronous } = options;
  const observe = options.onStatement ?? (() => undefined);
  ensurePrivateDir(dirname(path));
  ensurePrivateFile(path);
  const handle = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    configure(handle, { path, synchronous, observe });
  } catch (cause) {
    handle.close();
    throw cause;
  }
  return createSqlite({ path, handle, synchronous, observe, openSibling: () => openSqlite(options) });
}

let opened = 0;

/** A new database in memory. Its name is its own: a sibling finds it as long as one connection is open. */
export function openSqliteInMemory(path = `file:/silas-${(opened += 1)}?vfs=memdb`): Sqlite {
  const handle = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  const openSibling = () => openSqliteInMemory(path);
  return createSqlite({ path, handle, synchronous: "NORMAL", observe: () => undefined, openSibling });
}

/** A copy in memory of the database whose bytes are given. It has one connection. */
export function copySqliteInMemory(image: Uint8Array): Sqlite {
  const handle = new DatabaseSync(":memory:", { enableForeignKeyConstraints: true });
  handle.deserialize(image);
  return createSqlite({
    path: ":memory:",
    handle,
    synchronous: "NORMAL",
    observe: () => undefined,
    openSibling: noSibling,
  });
}

function noSibling(): never {
  throw new InvariantError("a copy in memory has one connection");
}

function configure(
  handle: DatabaseSync,
  options: { readonly path: string; readonly synchronous: Synchronous; readonly observe: (sql: string) => void },
): void {
  // A read first: a file that is not a database, or whose schema is damaged, is refused before anything is written.
  handle.prepare("SELECT count(*) FROM sqlite_master").get();
  for (const sql of [
    "PRAGMA journal_mode = WAL",
    `PRAGMA synchronous = ${options.synchronous}`,
    // The log is kept small on disk: a burst of writes does not leave a large file behind for good.
    "PRAGMA journal_size_limit = 67108864",
  ]) {
    options.observe(sql);
    handle.exec(sql);
  }
  for (const suffix of ["-wal", "-shm"]) {
    if (existsSync(options.path + suffix)) chmodSync(options.path + suffix, PRIVATE_FILE_MODE);
  }
}

type Parts = {
  readonly path: string;
  readonly handle: DatabaseSync;
  readonly synchronous: Synchronous;
  readonly observe: (sql: string) => void;
  readonly openSibling: () => Sqlite;
};

function createSqlite({ path, openSibling, ...parts }: Parts): Sqlite {
  const { handle, observe } = parts;
  // Statements are compiled once and kept; their texts are constants of this room, so the map stays small.
  const statements = new Map<string, Prepared>();
  const prepared = (sql: string): Prepared => {
    observe(sql);
    const kept = statements.get(sql);
    if (kept !== undefined) return kept;
    const made = prepare(handle, sql);
    statements.set(sql, made);
    return made;
  };
  return {
    path,
    handle,
    ...createTransactions(parts),
    run: (sql, params = NONE) => {
      const { statement, names } = prepared(sql);
      return Number(statement.run(...placed(names, params)).changes);
    },
    get: <Row>(sql: string, params: SqlParams = NONE) => {
      const { statement, names } = prepared(sql);
      return (statement.get(...placed(names, params)) as Row | undefined) ?? null;
    },
    all: <Row>(sql: string, params: SqlParams = NONE) => {
      const { statement, names } = prepared(sql);
      return statement.all(...placed(names, params)) as Row[];
    },
    columns: <Row>(sql: string, params: SqlParams = NONE) => {
      const { statement, names } = prepared(sql);
      statement.setReturnArrays(true);
      return statement.all(...placed(names, params)) as unknown as Row[];
    },
    insert: createInsert(prepared),
    freeze: () => handle.exec("PRAGMA query_only = ON"),
    thaw: () => handle.exec("PRAGMA query_only = OFF"),
    openSibling,
    close: () => {
      if (handle.isOpen) handle.close();
    },
  };
}

type Transactions = Pick<Sqlite, "transaction" | "unsyncedTransaction" | "afterCommit">;
type TransactionParts = Pick<Parts, "handle" | "synchronous" | "observe">;

function createTransactions({ handle, synchronous, observe }: TransactionParts): Transactions {
  const inTransaction = createBrackets({ handle, observe });
  let afterwards = new Set<() => void>();
  const transaction: Sqlite["transaction"] = (work) => {
    let result;
    try {
      result = inTransaction(work);
    } catch (cause) {
      afterwards.clear();
      throw cause;
    }
    const due = afterwards;
    if (due.size > 0) afterwards = new Set();
    if (result.ok) for (const each of due) each();
    return result;
  };
  return {
    transaction,
    unsyncedTransaction: (work) => {
      handle.exec("PRAGMA synchronous = NORMAL");
      try {
        return transaction(work);
      } finally {
        handle.exec(`PRAGMA synchronous = ${synchronous}`);
      }
    },
    afterCommit: (work) => {
      assert(handle.isTransaction, "only what happens in a transaction can wait for its commit");
      afterwards.add(work);
    },
  };
}

/** The statements around the work of a transaction. */
function createBrackets({ handle, observe }: Pick<Parts, "handle" | "observe">): Sqlite["transaction"] {
  const begin = handle.prepare("BEGIN IMMEDIATE");
  const commit = handle.prepare("COMMIT");
  return (work) => {
    assert(!handle.isTransaction, "a transaction never starts inside another one");
    observe("BEGIN IMMEDIATE");
    begin.run();
    try {
      const result = work();
      observe(result.ok ? "COMMIT" : "ROLLBACK");
      // SQLite ends the transaction by itself after some failures, a full disk among them.
      if (result.ok) commit.run();
      else if (handle.isTransaction) handle.exec("ROLLBACK");
      return result;
    } catch (cause) {
      if (handle.isOpen && handle.isTransaction) handle.exec("ROLLBACK");
      throw cause;
    }
  };
}

type Prepared = {
  readonly statement: StatementSync;
  /** The parameters in the order of their places. */
  readonly names: readonly string[];
};
const NONE: SqlParams = {};

/** A parameter, or a text, name or comment that may hold what looks like one. */
const PARAMETER = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|:([A-Za-z_]\w*)/g;

/** Parameters are named in the statements and bound by their places: binding by name takes about twice as long. */
function prepare(handle: DatabaseSync, sql: string): Prepared {
  const names: string[] = [];
  const placeOf = (name: string): number => {
    if (!names.includes(name)) names.push(name);
    return names.indexOf(name) + 1;
  };
  const text = sql.replace(PARAMETER, (part, name?: string) => (name === undefined ? part : `?${placeOf(name)}`));
  return { statement: handle.prepare(text), names };
}

/** INVARIANT: undefined, integers beyond 2^53 and parameters the statement does not name never reach the database. */
function placed(names: readonly string[], params: SqlParams): (string | bigint | null)[] {
  const values: (string | bigint | null)[] = [];
  for (const name of names) values.push(bindable(name, params[name]));
  if (Object.keys(params).length !== names.length) refuseUnknown(names, params);
  return values;
}

/** Node binds a JavaScript number as a float, and FTS5 silently ignores a rowid that is no integer: bind them as such. */
function bindable(name: string, value: SqlValue | undefined): string | bigint | null {
  if (typeof value === "string" || value === null) return value;
  if (value === undefined) throw new InvariantError(`parameter ${name} is missing`);
  if (!Number.isSafeInteger(value)) throw new InvariantError(`parameter ${name} is not a safe integer`);
  return BigInt(value);
}

/** More rows in a statement save nothing that was measured. */
const ROWS_AT_ONCE = 16;

/** Starting a statement costs a part of what a small row costs, so that rows which come together share statements. */
function createInsert(prepared: (sql: string) => Prepared): Sqlite["insert"] {
  const shapes = new Map<string, InsertShape>();
  return (sql, rows) => {
    let shape = shapes.get(sql);
    if (shape === undefined) shapes.set(sql, (shape = shapeOfInsert(sql)));
    for (let from = 0; from < rows.length;) {
      const count = rows.length - from < ROWS_AT_ONCE ? 1 : ROWS_AT_ONCE;
      const values: (string | bigint | null)[] = [];
      for (const end = from + count; from < end; from += 1) {
        const row = rows[from] ?? [];
        assert(row.length === shape.columns, "a row has a value for each place");
        for (const value of row) values.push(bindable("of a row", value));
      }
      prepared(count === 1 ? sql : shape.many).statement.run(...values);
    }
  };
}

/** How many values a row has, and the statement for as many rows as go together. */
type InsertShape = { readonly columns: number; readonly many: string };

function shapeOfInsert(sql: string): InsertShape {
  const places = sql.slice(sql.lastIndexOf("("));
  return { columns: places.split("?").length - 1, many: `${sql}${`, ${places}`.repeat(ROWS_AT_ONCE - 1)}` };
}

function refuseUnknown(names: readonly string[], params: SqlParams): void {
  const unknown = Object.keys(params).filter((name) => !names.includes(name));
  throw new InvariantError(`the statement has no parameter ${unknown.join(", ")}`);
}
