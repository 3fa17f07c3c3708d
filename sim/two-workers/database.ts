import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Database } from "#engine";

type Named = { readonly [name: string]: string | number | null };
const BUSY_TIMEOUT_MS = 20_000;

/** A connection of one's own to `silas.db`: no instance lock, and what a handler writes is in the commit that settles. */
export function openDatabase(dataDir: string): Database & { close(): void } {
  const handle = new DatabaseSync(join(dataDir, "silas.db"), { timeout: BUSY_TIMEOUT_MS });
  handle.exec("PRAGMA synchronous = FULL");
  let afterwards: (() => void)[] = [];
  const transaction: Database["transaction"] = (work) => {
    handle.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      handle.exec(result.ok ? "COMMIT" : "ROLLBACK");
      const due = afterwards;
      afterwards = [];
      if (result.ok) for (const each of due) each();
      return result;
    } catch (cause) {
      if (handle.isTransaction) handle.exec("ROLLBACK");
      afterwards = [];
      throw cause;
    }
  };
  return {
    run: (sql, values: Named = {}) => Number(handle.prepare(sql).run(values).changes),
    get: <Row>(sql: string, values: Named = {}) => (handle.prepare(sql).get(values) as Row | undefined) ?? null,
    all: <Row>(sql: string, values: Named = {}) => handle.prepare(sql).all(values) as Row[],
    columns: <Row>(sql: string, values: Named = {}) => {
      const prepared = handle.prepare(sql);
      prepared.setReturnArrays(true);
      return prepared.all(values) as unknown as Row[];
    },
    transaction,
    unsyncedTransaction: transaction,
    afterCommit: (work) => void afterwards.push(work),
    close: () => handle.close(),
  };
}
