import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import type { Database } from "#engine";

type Named = { readonly [name: string]: string | number | null };

/** A connection of a test's own to `silas.db`, so that a handler of the test can write in the commit that settles. */
export function openDatabase(dataDir: string): Database {
  const handle = new DatabaseSync(join(dataDir, "silas.db"), { timeout: 5_000 });
  handle.exec("PRAGMA synchronous = FULL");
  onTestFinished(() => handle.close());
  let afterwards: (() => void)[] = [];
  const statement = (sql: string) => handle.prepare(sql);
  return {
    run: (sql, values: Named = {}) => Number(statement(sql).run(values).changes),
    get: <Row>(sql: string, values: Named = {}) => (statement(sql).get(values) as Row | undefined) ?? null,
    all: <Row>(sql: string, values: Named = {}) => statement(sql).all(values) as Row[],
    columns: <Row>(sql: string, values: Named = {}) => {
      const prepared = handle.prepare(sql);
      prepared.setReturnArrays(true);
      return prepared.all(values) as unknown as Row[];
    },
    transaction(work) {
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
    },
    afterCommit: (work) => void afterwards.push(work),
  };
}
