import { mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { err, ok, type Instant, type Result } from "#base";
import type { StoreFault } from "#model";
import { copyDatabase } from "./backup-copy.ts";
import { saveManifest, type StoreFile } from "./backup-manifest.ts";
import { readMigrations } from "./migration-files.ts";
import { applyMigrations, pendingMigrations } from "./migrations.ts";
import { ensurePrivateDir, PRIVATE_DIR_MODE } from "./private-files.ts";
import { openSqlite, type Sqlite, type SqliteOptions } from "./sqlite.ts";
import type { StartFault } from "./start-fault.ts";
import { faultOf } from "./store-fault.ts";

export type StoreToOpen = SqliteOptions & {
  readonly migrationsDir: string;
  readonly at: Instant;
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
    if (migrated.ok) return ok(db);
    db.close();
    return migrated;
  } catch (cause) {
    db.close();
    return err(startFault(faultOf(cause), file));
  }
}

type Upgrade = StoreToOpen & { readonly files: Parameters<typeof pendingMigrations>[1] };

async function migrate(db: Sqlite, { files, path: file, at }: Upgrade): Promise<Result<void, StartFault>> {
  const plan = pendingMigrations(db, files);
  if (!plan.ok) return err({ ...plan.error, file });
  const { pending, appliedCount } = plan.value;
  const next = pending[0];
  if (next === undefined) return ok();
  let backup: string | null = null;
  if (appliedCount > 0) {
    backup = join(dirname(file), "backups", `${basename(file)}-before-${next.id}-${at.replaceAll(/[:.-]/g, "")}`);
    const copied = await copyBefore(db, { dir: backup, at });
    if (!copied.ok) return err({ code: "backup_failed", file, cause: copied.error });
  }
  const applied = applyMigrations(db, { pending, at });
  return applied.ok ? ok() : err({ ...applied.error, file, backup });
}

/** A verified copy beside the data before anything changes; `silas restore` takes it as it is. */
async function copyBefore(
  db: Sqlite,
  { dir, at }: { readonly dir: string; readonly at: Instant },
): Promise<Result<void, StoreFault>> {
  const name = basename(db.path) as StoreFile;
  ensurePrivateDir(dirname(dir));
  // A copy of the same moment can only be the rest of a start that was cut off.
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { mode: PRIVATE_DIR_MODE });
  const copied = await copyDatabase(db.handle, join(dir, name));
  if (!copied.ok) return copied;
  const { bytes, sha256, schemaVersion } = copied.value;
  const files = [{ name, bytes, sha256, schema_version: schemaVersion }];
  saveManifest(dir, { format: "silas-backup", version: 1, created_at: at, reason: "before_migration", files });
  return ok();
}

function startFault({ code, cause }: StoreFault, file: string): StartFault {
  return { code, file, cause };
}
