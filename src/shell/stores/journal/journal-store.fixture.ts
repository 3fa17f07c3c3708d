import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { JournalStore } from "#ports";
import { openMigrated } from "../open-store.ts";
import { SHIPPED_MIGRATIONS } from "../open-stores.ts";
import type { Sqlite } from "../sqlite.ts";
import { AT, must, tempDir } from "../store.fixture.ts";
import { createJournalStore, ensureHostId } from "./store.ts";

/** A new journal with the driver it stands on; both go away with the test. */
export async function openWithDriver(
  onStatement?: (sql: string) => void,
): Promise<{ readonly db: Sqlite; readonly store: JournalStore }> {
  const path = join(tempDir(), "db.sqlite");
  const migrationsDir = join(SHIPPED_MIGRATIONS, "journal");
  const db = must(await openMigrated({ path, synchronous: "FULL", migrationsDir, at: AT, onStatement }));
  onTestFinished(() => db.close());
  const hostId = ensureHostId(db, () => "host-a");
  return { db, store: createJournalStore(db, hostId) };
}
