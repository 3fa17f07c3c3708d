import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ok, uuidV7, type Instant, type Result } from "#base";
import type { Clock, JournalStore, Randomness, SessionStore } from "#ports";
import { createJournalStore, ensureHostId } from "./journal/store.ts";
import { openMigrated } from "./open-store.ts";
import { createSessionStore } from "./session-store.ts";
import { guardedValue } from "./store-fault.ts";
import type { StartFault } from "./start-fault.ts";

export type StoresOptions = {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: Randomness;
  /** Where the migrations are read from; the ones shipped with this version by default. */
  readonly migrationsDir?: string;
  /** Told of each copy from before an earlier migration that made room for a newer one. */
  readonly onPruned?: (path: string) => void;
  /** Sees each statement of the journal before it runs; used by the simulation. */
  readonly onStatement?: (sql: string) => void;
};

export type Stores = {
  readonly journal: JournalStore;
  readonly sessions: SessionStore;
  readonly close: () => Promise<void>;
};

export const SHIPPED_MIGRATIONS = fileURLToPath(new URL("migrations", import.meta.url));

/**
 * Opens and migrates every file of the data directory before anything listens. [MIG-07]
 * Counters of the journal are seen by other devices and must never be given out twice, and the runtime file will hold
 * what was approved: both wait for the disk at every commit.
 */
export async function openStores(options: StoresOptions): Promise<Result<Stores, StartFault>> {
  const journal = await openJournal(options);
  if (!journal.ok) return journal;
  const sessions = await openSessions(options);
  if (!sessions.ok) {
    await journal.value.close();
    return sessions;
  }
  return ok({
    journal: journal.value,
    sessions: sessions.value.store,
    close: async () => {
      await journal.value.close();
      sessions.value.close();
    },
  });
}

/** The journal alone: `db.sqlite` needs no other file to be there. [DOM-01] */
export async function openJournal(options: StoresOptions): Promise<Result<JournalStore, StartFault>> {
  const path = join(options.dataDir, "db.sqlite");
  const at = options.clock.now();
  const opened = await openMigrated({
    path,
    synchronous: "FULL",
    migrationsDir: join(options.migrationsDir ?? SHIPPED_MIGRATIONS, "journal"),
    at,
    onPruned: options.onPruned,
    onStatement: options.onStatement,
  });
  if (!opened.ok) return opened;
  const db = opened.value;
  const hostId = guardedValue(() => ensureHostId(db, () => newHostId(options.random, at)));
  if (hostId.ok) return ok(createJournalStore(db, hostId.value));
  db.close();
  return { ok: false, error: { code: hostId.error.code, file: path, cause: hostId.error.cause } };
}

/** The runtime's own file, `silas.db`, alone. */
export async function openSessions(
  options: StoresOptions,
): Promise<Result<{ readonly store: SessionStore; readonly close: () => void }, StartFault>> {
  const opened = await openMigrated({
    path: join(options.dataDir, "silas.db"),
    synchronous: "FULL",
    migrationsDir: join(options.migrationsDir ?? SHIPPED_MIGRATIONS, "runtime"),
    at: options.clock.now(),
    onPruned: options.onPruned,
  });
  return opened.ok ? ok({ store: createSessionStore(opened.value), close: opened.value.close }) : opened;
}

export const newHostId = (random: Randomness, at: Instant): string => uuidV7(at, random.bytes(10));
