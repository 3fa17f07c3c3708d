import { err, ok, type Instant, type Result } from "#base";
import { faultOf } from "#engine";
import type { Migration } from "./migration-files.ts";
import type { Sqlite } from "./sqlite.ts";

type MigrationProblem =
  | { readonly code: "migration_edited"; readonly migration: string }
  | { readonly code: "migration_missing"; readonly migration: string }
  | { readonly code: "migration_out_of_order"; readonly migration: string };
type MigrationFailure = {
  readonly code: "migration_failed";
  readonly migration: string;
  readonly cause: unknown;
};

/** Enough of a database to know what was applied; a file opened for reading has it too. */
export type MigrationReader = Pick<Sqlite, "get" | "all">;

type AppliedRow = { readonly id: string; readonly checksum: string };

/**
 * What is still to be applied: the files minus the recorded ids, and nothing else decides. [MIG-03]
 * A recorded migration whose file changed or is gone stops the start; nothing is repaired. [MIG-04, MIG-05]
 */
export function pendingMigrations(
  db: MigrationReader,
  files: readonly Migration[],
): Result<{ readonly pending: readonly Migration[]; readonly appliedCount: number }, MigrationProblem> {
  const applied = appliedMigrations(db);
  const filesById = new Map(files.map((file) => [file.id, file]));
  for (const row of applied) {
    const file = filesById.get(row.id);
    if (file === undefined) return err({ code: "migration_missing", migration: row.id });
    if (file.checksum !== row.checksum) return err({ code: "migration_edited", migration: row.id });
  }
  const appliedIds = new Set(applied.map((row) => row.id));
  const pending = files.filter((file) => !appliedIds.has(file.id));
  // Files are in number order, so what is applied must be a beginning of them: there is no way back and no way between.
  const gap = pending.find((file, index) => file.id !== files[applied.length + index]?.id);
  if (gap !== undefined) return err({ code: "migration_out_of_order", migration: gap.id });
  return ok({ pending, appliedCount: applied.length });
}

/** Applies migrations in order, each with its record in one transaction. Stops at the first that fails. */
export function applyMigrations(
  db: Sqlite,
  { pending, at }: { readonly pending: readonly Migration[]; readonly at: Instant },
): Result<void, MigrationFailure> {
  for (const migration of pending) {
    try {
      db.transaction(() => {
        db.run(
          `CREATE TABLE IF NOT EXISTS applied_migrations (
             id TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL
           ) STRICT, WITHOUT ROWID`,
        );
        for (const statement of migration.statements) db.run(statement);
        db.run("INSERT INTO applied_migrations (id, checksum, applied_at) VALUES (:id, :checksum, :at)", {
          id: migration.id,
          checksum: migration.checksum,
          at,
        });
        return ok();
      });
    } catch (cause) {
      // Rethrows what is no failure of the database: a bug is not reported as a bad migration.
      faultOf(cause);
      return err({ code: "migration_failed", migration: migration.id, cause });
    }
  }
  return ok();
}

/** The recorded migrations, oldest first; none for a new file. */
export function appliedMigrations(db: MigrationReader): readonly AppliedRow[] {
  const table = db.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'applied_migrations'");
  if (table === null) return [];
  return db.all<AppliedRow>("SELECT id, checksum FROM applied_migrations ORDER BY id");
}
