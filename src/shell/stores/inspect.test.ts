import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { Instant } from "#base";
import { inspectStores, type StoreInspection } from "./inspect.ts";
import { openStores, SHIPPED_MIGRATIONS } from "./open-stores.ts";
import { AT, auditRules, countingRandom, fixedClock, must, tempDir } from "./store.fixture.ts";

/** A data directory with both databases, as a first start leaves it. */
async function prepared(): Promise<string> {
  const dataDir = join(tempDir(), "data");
  await must(await openStores({ dataDir, clock: fixedClock, random: countingRandom(), auditRules })).close();
  return dataDir;
}

function inspect(dataDir: string, migrationsDir = SHIPPED_MIGRATIONS): { readonly [store: string]: StoreInspection } {
  const found = inspectStores({ dataDir, after: AT, migrationsDir });
  return Object.fromEntries(found.map((one) => [one.store, one]));
}

const shipped = (): string => {
  const dir = join(tempDir(), "migrations");
  cpSync(SHIPPED_MIGRATIONS, dir, { recursive: true });
  return dir;
};

describe("looking into the databases", () => {
  test("a whole store says what is applied, and no byte of it changes", async () => {
    const dataDir = await prepared();
    const before = readFileSync(join(dataDir, "db.sqlite"));
    expect(inspect(dataDir)).toMatchObject({
      journal: { pages: { ok: true }, schema: { ok: true, value: { pending: [] } }, changedAfter: 0 },
      runtime: { pages: { ok: true }, schema: { ok: true, value: { pending: [] } }, changedAfter: null },
    });
    expect(readFileSync(join(dataDir, "db.sqlite")).equals(before)).toBe(true);
  });

  test("where nothing is stored yet there is nothing to say, and nothing is made", () => {
    const dataDir = tempDir();
    expect(inspect(dataDir)["journal"]).toMatchObject({ pages: null, schema: null });
    expect(existsSync(join(dataDir, "db.sqlite"))).toBe(false);
  });

  test("files that were begun and never written have everything to come", async () => {
    const dataDir = tempDir();
    for (const file of ["db.sqlite", "silas.db"]) writeFileSync(join(dataDir, file), "");
    const { journal, runtime } = inspect(dataDir);
    for (const found of [journal, runtime]) {
      expect(found).toMatchObject({ pages: { ok: true }, schema: { ok: true, value: { applied: [] } } });
      expect([found?.changedAfter, found?.damagedRows]).toEqual([null, null]);
    }
  });

  test("a running store can be looked into", async () => {
    const dataDir = join(tempDir(), "data");
    const stores = must(await openStores({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
    expect(inspect(dataDir)["journal"]).toMatchObject({ pages: { ok: true }, schema: { ok: true } });
    await stores.close();
  });

  test("[MIG-04] an edited migration is seen before a start refuses it", async () => {
    const [dataDir, migrationsDir] = [await prepared(), shipped()];
    const file = join(migrationsDir, "runtime", "001_initial.sql");
    writeFileSync(file, `${readFileSync(file, "utf8")}-- edited\n`);
    expect(inspect(dataDir, migrationsDir)).toMatchObject({
      journal: { schema: { ok: true } },
      runtime: {
        pages: { ok: true },
        schema: { ok: false, error: { code: "migration_edited", migration: "001_initial" } },
      },
    });
  });

  test("[MIG-05] a migration of a newer version is named", async () => {
    const dataDir = await prepared();
    const database = new DatabaseSync(join(dataDir, "db.sqlite"));
    database.exec("INSERT INTO applied_migrations (id, checksum, applied_at) VALUES ('999_later', 'x', 'y')");
    database.close();
    expect(inspect(dataDir)["journal"]?.schema).toMatchObject({
      ok: false,
      error: { code: "migration_missing", migration: "999_later" },
    });
  });

  test("a migration that waits is pending; missing files are a fault of the installation", async () => {
    const [dataDir, migrationsDir] = [await prepared(), shipped()];
    const number = String(readdirSync(join(migrationsDir, "runtime")).length + 1).padStart(3, "0");
    writeFileSync(join(migrationsDir, "runtime", `${number}_more.sql`), "CREATE TABLE more (a TEXT) STRICT;\n");
    rmSync(join(migrationsDir, "journal", "001_initial.sql"));
    const found = inspect(dataDir, migrationsDir);
    expect(found["runtime"]?.schema).toMatchObject({ ok: true, value: { pending: [`${number}_more`] } });
    expect(found["journal"]?.schema).toMatchObject({ ok: false, error: { code: "migration_files_invalid" } });
  });

  test("a file that is no database, and one with a torn page, are damaged", async () => {
    const dataDir = await prepared();
    writeFileSync(join(dataDir, "silas.db"), "these are words and no database at all");
    const file = join(dataDir, "db.sqlite");
    const descriptor = openSync(file, "r+");
    // Only the last page: nothing that is read on the way to it would notice.
    writeSync(descriptor, Buffer.alloc(64, 0x5a), 0, 64, statSync(file).size - 4096);
    closeSync(descriptor);
    const found = inspect(dataDir);
    for (const store of ["journal", "runtime"]) {
      expect(found[store]).toMatchObject({ pages: { ok: false, error: { code: "store_corrupt" } }, schema: null });
    }
  });

  test("records from after a moment are counted", async () => {
    const dataDir = await prepared();
    const database = new DatabaseSync(join(dataDir, "db.sqlite"));
    database.exec(`INSERT INTO records (id, kind, body, created_at, updated_at, revision, host_id, counter, vector_clock)
      VALUES ('l1', 'label', '{"name":"a"}', '${AT}', '2030-01-01T00:00:00.000Z', 1, 'h', 1, '{}')`);
    database.close();
    expect(inspect(dataDir)["journal"]?.changedAfter).toBe(1);
    const later = inspectStores({ dataDir, after: "2031-01-01T00:00:00.000Z" as Instant });
    expect(later[0]?.changedAfter).toBe(0);
  });
});
