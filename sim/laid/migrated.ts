import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex, type Instant } from "#base";
import { createAuditRules } from "#policy";
import { ensurePrivateDir, openRuntime, openRuntimeInMemory } from "#stores";

const FILE = "silas.db";
const clock = { now: () => "2026-11-15T08:00:00.000Z" as Instant };

let image: Uint8Array | null = null;

/**
 * Puts a migrated `silas.db` into a data directory that has none. Migrating a new file takes fifty times as long as
 * writing these bytes, and what is about something else need not do it again.
 */
export function layMigrated(dataDir: string): void {
  const path = join(dataDir, FILE);
  if (existsSync(path)) return;
  image ??= migratedImage();
  ensurePrivateDir(dataDir);
  writeFileSync(path, image, { mode: 0o600 });
}

/** Opens a data directory as `openRuntime` does; a new one is not migrated once more. */
export const openMigratedRuntime: typeof openRuntime = (options) => {
  layMigrated(options.dataDir);
  return openRuntime(options);
};

function migratedImage(): Uint8Array {
  const opened = openRuntimeInMemory({ auditRules: createAuditRules(sha256Hex), clock });
  try {
    return opened.handle.serialize();
  } finally {
    opened.close();
  }
}
