import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ok, type Instant, type Result } from "#base";
import type { StoreFault } from "#model";
import { copyDatabase } from "./backup-copy.ts";
import { loadManifest, saveManifest, type StoreFile } from "./backup-manifest.ts";
import { ensurePrivateDir, PRIVATE_DIR_MODE } from "./private-files.ts";
import type { Sqlite } from "./sqlite.ts";

/** Copies of one store that stay: enough to go back over several upgrades, few enough not to fill the disk. */
const COPIES_KEPT = 5;

export function copyDirOf(copy: { readonly file: string; readonly migration: string; readonly at: Instant }): string {
  const name = `${basename(copy.file)}-before-${copy.migration}-${copy.at.replaceAll(/[:.-]/g, "")}`;
  return join(dirname(copy.file), "backups", name);
}

/** A verified copy beside the data before anything changes; `silas restore` takes it as it is. */
export async function copyBefore(
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

/**
 * Removes the older copies of a store and names them. What this room did not put there itself, before a migration of
 * this very store, is never touched.
 */
export function pruneCopies(file: string): readonly string[] {
  const dir = join(dirname(file), "backups");
  if (!existsSync(dir)) return [];
  const copies = readdirSync(dir)
    .filter((name) => name.startsWith(`${basename(file)}-before-`))
    .flatMap((name) => {
      const manifest = loadManifest(join(dir, name));
      const isOurs = manifest.ok && manifest.value.reason === "before_migration";
      return isOurs ? [{ path: join(dir, name), at: manifest.value.created_at }] : [];
    });
  const old = copies.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(COPIES_KEPT);
  for (const { path } of old) rmSync(path, { recursive: true });
  return old.map(({ path }) => path);
}
