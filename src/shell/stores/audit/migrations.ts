import { ok, type Instant, type Result } from "#base";
import type { StoreFault } from "#model";
import type { Sqlite } from "../sqlite.ts";
import { guarded } from "../store-fault.ts";
import type { RecordAct } from "./log.ts";

/** The migrations each database has, by their ids. */
export type Migrated = { readonly journal: readonly string[]; readonly runtime: readonly string[] };

type Recording = {
  readonly db: Sqlite;
  readonly recordAct: RecordAct;
  readonly migrated: Migrated;
  readonly at: Instant;
};

/**
 * Records every migration that the chain does not know yet. The first ones are older than the chain's own table, and a
 * crash may come between a migration and its entry; asking what is missing covers both.
 */
export function recordMigrations({ db, recordAct, migrated, at }: Recording): Result<void, StoreFault> {
  return guarded(() => {
    const known = new Set(
      db
        .all<{ readonly name: string }>(
          `SELECT json_extract(entry, '$.data.store') || '/' || json_extract(entry, '$.data.migration') AS name
           FROM audit_entries WHERE subject_kind = 'migration_applied'`,
        )
        .map(({ name }) => name),
    );
    const missing = (["journal", "runtime"] as const).flatMap((store) =>
      migrated[store].flatMap((migration) => (known.has(`${store}/${migration}`) ? [] : [{ store, migration }])),
    );
    if (missing.length === 0) return ok();
    return db.transaction(() => {
      for (const data of missing) recordAct({ event: "migration_applied", data, at, actor: { kind: "system" } });
      return ok();
    });
  });
}
