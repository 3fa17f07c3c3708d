import { err, ok, type Instant, type Result } from "#base";
import { faultOf } from "#engine";
import type { StoreFault } from "#model";
import { copyBefore, copyDirOf, pruneCopies } from "./migration-copies.ts";
import { readMigrations } from "./migration-files.ts";
import { appliedMigrations, applyMigrations, pendingMigrations } from "./migrations.ts";
import { openSqlite, type Sqlite, type SqliteOptions } from "./sqlite.ts";
import type { StartFault } from "./start-fault.ts";

type StoreToOpen = SqliteOptions & {
  readonly migrationsDir: string;
  readonly at: Instant;
  /** Told of each old copy that made room for a newer one. */
  readonly onPruned?: ((path: string) => void) | undefined;
  /** Told of every migration the file has, once it is at this version. */
  readonly onMigrated?: ((migrations: readonly string[]) => void) | undefined;
};

/** Opens one file and brings it to this version. On a fault the file is closed, and as it was or at a whole step. */
export async function openMigrated(store: StoreToOpen): Promise<Result<Sqlite, StartFault>> {
  const file = store.path;
  const files = readMigrations(store.migrationsDir);
  if (!files.ok) return err({ ...files.error, file });
  let db: Sqlite;
  try {
    db = openSqlite(store);
  } catch (cause) {
    return err(startFault(faultOf(cause), file));
  }
  try {
    const migrated = await migrate(db, { ...store, files: files.value });
    if (migrated.ok) {
      store.onMigrated?.(appliedMigrations(db).map(({ id }) => id));
      return ok(db);
    }
    db.close();
    return migrated;
  } catch (cause) {
    db.close();
    return err(startFault(faultOf(cause), file));
  }
}

type Upgrade = StoreToOpen & { readonly files: Parameters<typeof pendingMigrations>[1] };

async function migrate(db: Sqlite, { files, path: file, at, onPruned }: Upgrade): Promise<Result<void, StartFault>> {
  const plan = pendingMigrations(db, files);
  if (!plan.ok) return err({ ...plan.error, file });
  const { pending, appliedCount } = plan.value;
  const next = pending[0];
  if (next === undefined) return ok();
  let backup: string | null = null;
  if (appliedCount > 0) {
    backup = copyDirOf({ file, migration: next.id, at });
    const copied = await copyBefore(db, { dir: backup, at });
    if (!copied.ok) return err({ code: "backup_failed", file, cause: copied.error });
  }
  const applied = applyMigrations(db, { pending, at });
  if (!applied.ok) return err({ ...applied.error, file, backup });
  // Only now: while a migration fails, every copy may be the one that is needed.
  for (const pruned of pruneCopies(file)) onPruned?.(pruned);
  return ok();
}

function startFault({ code, cause }: StoreFault, file: string): StartFault {
  return { code, file, cause };
}
