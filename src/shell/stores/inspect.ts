import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { err, ok, type Instant, type Result } from "#base";
import { faultOf } from "#engine";
import type { StoreFile } from "./backup-manifest.ts";
import { findDamagedRows, type DamagedRow } from "./damaged-rows.ts";
import { readMigrations } from "./migration-files.ts";
import { pendingMigrations, type MigrationReader } from "./migrations.ts";
import { SHIPPED_MIGRATIONS } from "./open-stores.ts";
import type { StartFault } from "./start-fault.ts";

/** The state of one database file, found out without writing to it. */
export type StoreInspection = {
  readonly store: "journal" | "runtime";
  readonly file: StoreFile;
  /** Null when there is no file yet; else whether its pages hold together. */
  readonly pages: Result<void, StartFault> | null;
  /** Null when the pages cannot be read; else what a start would find. */
  readonly schema: Result<SchemaState, StartFault> | null;
  /** How many records say that they were changed after the given moment; null for a store without dates. */
  readonly changedAfter: number | null;
  /** Rows that hold no such thing as their table keeps; null where none is looked for. */
  readonly damagedRows: readonly DamagedRow[] | null;
};
type SchemaState = { readonly applied: readonly string[]; readonly pending: readonly string[] };

type InspectionOptions = {
  readonly dataDir: string;
  /** Records changed after this moment are counted. */
  readonly after: Instant;
  /** Where the migrations are read from; the ones shipped with this version by default. */
  readonly migrationsDir?: string;
};

const STORES = [
  { store: "journal", file: "db.sqlite" },
  { store: "runtime", file: "silas.db" },
] as const;

/** Looks into every database of a data directory, also beside a running instance. */
export function inspectStores(options: InspectionOptions): readonly StoreInspection[] {
  return STORES.map((names) => ({ ...names, ...inspectStore({ ...options, ...names }) }));
}

type Subject = InspectionOptions & (typeof STORES)[number];
type Findings = Pick<StoreInspection, "pages" | "schema" | "changedAfter" | "damagedRows">;

const BUSY_TIMEOUT_MS = 5_000;

function inspectStore(subject: Subject): Findings {
  const path = join(subject.dataDir, subject.file);
  if (!existsSync(path)) return { pages: null, ...UNKNOWN };
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      return look(database, { ...subject, path });
    } finally {
      database.close();
    }
  } catch (cause) {
    return damaged({ code: faultOf(cause).code, file: path, cause });
  }
}

const damaged = (fault: StartFault): Findings => ({ pages: err(fault), ...UNKNOWN });
const UNKNOWN = { schema: null, changedAfter: null, damagedRows: null };

function look(database: DatabaseSync, subject: Subject & { readonly path: string }): Findings {
  const rows = database.prepare("PRAGMA quick_check(1)").all() as { readonly quick_check: string }[];
  if (rows[0]?.quick_check !== "ok") return damaged({ code: "store_corrupt", file: subject.path });
  const schema = schemaOf(database, subject);
  // Tables are asked only where they are known to be there.
  const isJournal = schema.ok && schema.value.applied.length > 0 && subject.store === "journal";
  const isRuntime = schema.ok && schema.value.pending.length === 0 && subject.store === "runtime";
  return {
    pages: ok(),
    schema,
    changedAfter: isJournal ? countChangedAfter(database, subject.after) : null,
    damagedRows: isRuntime ? findDamagedRows((sql) => database.prepare(sql).iterate()) : null,
  };
}

/** The same look that decides a start. [MIG-04, MIG-05] */
function schemaOf(
  database: DatabaseSync,
  { path, store, migrationsDir = SHIPPED_MIGRATIONS }: Subject & { readonly path: string },
): Result<SchemaState, StartFault> {
  const files = readMigrations(join(migrationsDir, store));
  if (!files.ok) return err({ ...files.error, file: path });
  const reader: MigrationReader = {
    get: <Row>(sql: string) => (database.prepare(sql).get() as Row | undefined) ?? null,
    all: <Row>(sql: string) => database.prepare(sql).all() as Row[],
  };
  const plan = pendingMigrations(reader, files.value);
  if (!plan.ok) return err({ ...plan.error, file: path });
  const ids = files.value.map(({ id }) => id);
  return ok({ applied: ids.slice(0, plan.value.appliedCount), pending: ids.slice(plan.value.appliedCount) });
}

function countChangedAfter(database: DatabaseSync, after: Instant): number {
  const row = database.prepare("SELECT count(*) AS count FROM records WHERE updated_at > ?").get(after);
  return Number(row?.["count"] ?? 0);
}
