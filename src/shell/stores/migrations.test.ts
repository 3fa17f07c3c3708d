import * as fc from "fast-check";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import { restoreBackup, verifyBackup } from "./backup.ts";
import { readMigrations } from "./migration-files.ts";
import { openMigrated } from "./open-store.ts";
import { openJournal, openRuntime, openStores, SHIPPED_MIGRATIONS } from "./open-stores.ts";
import { startFaultSentence } from "./start-fault.ts";
import { AT, auditRules, countingRandom, fixedClock, must, mustFail, tempDir } from "./store.fixture.ts";

type Files = { readonly [name: string]: string };

function migrationsDir(files: Files): string {
  const dir = join(tempDir(), "migrations");
  mkdirSync(dir);
  for (const [name, sql] of Object.entries(files)) writeFileSync(join(dir, name), sql);
  return dir;
}

const ONE = { "001_initial.sql": "CREATE TABLE notes (text TEXT NOT NULL) STRICT;\n" };
const TWO = { ...ONE, "002_stars.sql": "ALTER TABLE notes ADD COLUMN stars INTEGER NOT NULL DEFAULT 0;\n" };

async function migrateTo(path: string, files: Files, at: Instant = AT) {
  const opened = await openMigrated({ path, synchronous: "FULL", migrationsDir: migrationsDir(files), at });
  if (opened.ok) opened.value.close();
  return opened.ok ? null : opened.error;
}

function query(path: string, sql: string): unknown[] {
  const db = new DatabaseSync(path);
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

describe("migration files", () => {
  const SQL = "CREATE TABLE t (a TEXT);\n";
  test.each([
    ["a duplicate number", ["001_a.sql", "001_b.sql"]],
    ["a gap", ["001_a.sql", "003_c.sql"]],
    ["a first number other than 001", ["002_b.sql"]],
    ["a number that is not padded", ["1_a.sql"]],
    ["a stranger", ["001_a.sql", "notes.txt"]],
    ["a way back", ["001_a.sql", "001_a.down.sql"]],
    ["nothing at all", []],
  ])("[MIG-02] %s is an error", (_what, names) => {
    const dir = migrationsDir(Object.fromEntries(names.map((name) => [name, SQL])));
    expect(mustFail(readMigrations(dir)).code).toBe("migration_files_invalid");
  });

  test("a first start has nothing to keep a copy of", async () => {
    const dir = tempDir();
    expect(await migrateTo(join(dir, "db.sqlite"), ONE)).toBeNull();
    expect(readdirSync(dir)).toEqual(["db.sqlite"]);
  });

  test("[MIG-02] files are applied in the order of their numbers", async () => {
    const path = join(tempDir(), "x.db");
    // The second needs what the first made.
    expect(await migrateTo(path, TWO)).toBeNull();
    expect(query(path, "SELECT id FROM applied_migrations ORDER BY id")).toEqual([
      { id: "001_initial" },
      { id: "002_stars" },
    ]);
  });

  test("a migration that would leave its transaction is refused before anything runs", () => {
    const dir = migrationsDir({ "001_a.sql": "CREATE TABLE t (a TEXT);\nCOMMIT;\n" });
    expect(mustFail(readMigrations(dir)).reason).toContain("001_a.sql");
  });

  test("[MIG-08] a released migration keeps its number and its bytes, and there is no way back", () => {
    const released = Object.fromEntries(
      ["journal", "runtime"].flatMap((store) =>
        must(readMigrations(join(SHIPPED_MIGRATIONS, store))).map(({ id, checksum }) => [`${store}/${id}`, checksum]),
      ),
    );
    expect(released).toEqual(RELEASED);
  });
});

/** Only ever grows. A changed line here means every existing database will refuse to start. */
const RELEASED = {
  "journal/001_initial": "439c59cfe3d428712ec06f1d0941ead1ad05f5d4378c92f50b198afa6e2e2013",
  "journal/002_task_counts": "9eb36ef9b5895efe44504f28a2dbfb0c0fc42830e1c693be4b0f3a991441d98c",
  "runtime/001_initial": "72d46dbf38129d191da06ab459989bf47ca33cb668f9b2203c0bd75319999ec0",
  "runtime/002_audit": "8cfc3777c62bddc4a4c333df3385bef1e3af881be662d182ece8e207c215fb9b",
  "runtime/003_keys": "d44ed37db27c243ee2a3951bc138e6566fd03dd1f3f5b0e22a9eba8c45b991a3",
  "runtime/004_approvals": "b309586e08883fe4878e7b249617958ae8fbbb3232ab40bdf9e5e87aef64f38c",
  "runtime/005_devices": "93e7fb3e83ef2a2e88af9aa6085e54c07e44f6bb66bac7781f38ef1f82a76809",
  "runtime/006_passkeys": "900fa35cc9ceb020b65b174f4a6bbf8969f3a774cd236081d1bc75e71251221e",
  "runtime/007_secrets": "c79ac1535822d4c0178f437b4d022616827442b6ed3f8c6356796d7237ccf7d0",
  "runtime/008_messages": "f8ce5a2d2a24fdbfa5722ae48db810d3cc2061faabbb69a720e09c07140ff746",
  "runtime/009_audit_heads": "3fad54a02eb35d0b3e84fa04e6844cb81ac4f4bba1ff8db429c6a8a37759af56",
  "runtime/010_decision_tokens": "af4d6a06b4cadd728dd304404885e0f4c8d226490e56903915524b5ca39b20c9",
  "runtime/011_work_runs": "9d9495dc03abbb8815dd0af72179d1bdd67d6fe70079df3a89c81f25da138c2d",
  "runtime/012_trust_entries": "8367d0b62a6db0992b0c3faf692f0203b77dfaf2a403e30e45bf02d4e4aa45dd",
  "runtime/013_work_titles": "bd1a7f77c903a5d7162543c394e0be94aa3bd0c1972cbb3c2f45a7f5bcea5216",
  "runtime/014_run_settlements": "75684f5281d4065735c9bbd5510658ddf9ceb7c6151e9a4d38f1f4ebbb72eef8",
  "runtime/015_batches": "ce600c5198f8bc68f9b4c07a34ac91fe56ee91e401fff3346bcde5ffbe5bd495",
  "runtime/016_goals": "043d695bc0da4e7cd43ca101ac44a2b1b4239e770a54316ce41c2d26f1e93eb9",
  "runtime/017_global_stops": "bd2561f105e4c32149eabd192b91ddc928f60a5ddd2b958910d7ebf0efd29c65",
  "runtime/018_goal_items": "1d21e77567daba345310f9584f68993c1250e97b5b2c7cc97977984db58c549b",
  "runtime/019_credentials": "6841a0e9bea231c5e5fced39c516f427a200aa8cb881fe5eefc71e56e9b1260e",
  "runtime/020_request_headings": "4ddd8b5522538512734052020a98b6664606cd79e1bed2ece7cd144401ae6c57",
  "runtime/021_message_entries": "c459b99db3143bd208503a150b4c5c684cd03f99076d6f581bd6fb183931a51a",
  "runtime/022_stream_entries": "5c57d7932365fba439e7217920682e1b3802acab373ce79664c84f1b75fff1ef",
  "runtime/023_queues": "a7d4d7ee2e6382c6569fbc0c7b78626e99332b81fc19c6407fd19a4238f3ccf7",
  "runtime/024_skills": "4cc73615aec35b46ada41b9874e6335035eee6a28a60a25085bbc8580dce6e94",
  "runtime/025_autonomy_entries": "34ffdee02def57bf8c82763532eef128c7879686832cd24fcd0d80695572925d",
  "runtime/026_memories": "982437c4cb6dc067bf73f9ff0c75d4cebfdd76a0b3869037ac935bd91a99e8ef",
  "runtime/027_turns": "3f7f5f0c28961c2f72a58ebfaf6de381b09607c98afa93528fcc30728f1e845f",
  "runtime/028_connections": "b023b0bd85315bf05fce0e10e325acf909a893c49334d89fc696374d401da9af",
  "runtime/029_telegram": "a6adf60db4d3b1f479ba8ae32954a6d49091842fbf06e5ac6d8ddf0133e25f98",
  "runtime/030_suggestions": "7fb63e298129ebe3b5d802c988174d27e270df261de6cc386a68c4166d736279",
  "runtime/031_widenings": "4aab44b8d2f75fbb7c02217ba7b9cab6604161a006b488829fa46b398d86e2c0",
  "runtime/032_consultations": "2e48e45a3a8f9e54dfa1150384b714803291906bdabe06b91362b84960a3ded8",
  "runtime/033_audit_subjects": "5a05179decdf5c3fc2a4c1a5b5ca17f6b803a5e8987f3745b9311da78b54275b",
  "runtime/034_open_work": "2b5575f087a7104bf297aaec7acc8b57596a9a98b8f1a39f0996def77eef9c86",
  "runtime/035_goal_zones": "a175e8418190ca13d0dcdb1a28ea2e0e3acb452b0ad489b138213e4e3675538e",
  "runtime/036_one_queue": "2558cfc66e23f825d57b175a5f9773a00cd4f4a5e2aec4efde98af2e89686245",
  "runtime/037_model_calls": "e1e45ba4d71e1323fd070c83a953056f80c8a5559f6ea36d5abcf66778249cfd",
  "runtime/038_decided": "046bed7c3263a659ad9b02bda39e8baa364b34ecaab308d9d2d3de2f3a70a991",
  "runtime/039_timers": "88d64fc6fd64827f595131e918a6ffa1877c1bbeeac708de6e004550d97fe7fd",
  "runtime/040_queue_indexes": "b23a4876c7f1b653258ab09657074af8a32a2f8f8b496d69d82f38159a1e7999",
  "runtime/041_gates_in_the_turn": "7f339bcebad4eaedab65aa4648493b0205ca51638addc97aae8b6f012fbf8ae6",
  "runtime/042_queue_leases": "268e065982f55eb40e9c2b984f791944b2193acc4534954736a0a12ea4ddcea8",
};

test("[MIG-03] what is pending is decided by applied_migrations alone", async () => {
  const path = join(tempDir(), "x.db");
  expect(await migrateTo(path, ONE)).toBeNull();
  const [first] = query(path, "SELECT * FROM applied_migrations");
  expect(first).toEqual({ id: "001_initial", checksum: sha256Hex(ONE["001_initial.sql"]), applied_at: AT });
  const [columns] = query(path, "SELECT count(*) AS n FROM pragma_table_info('notes')");
  expect(await migrateTo(path, TWO)).toBeNull();
  expect(query(path, "SELECT count(*) AS n FROM pragma_table_info('notes')")).toEqual([{ n: 2 }]);
  expect(columns).toEqual({ n: 1 });
  // The table is there, the record is not: the runner believes the record and fails instead of guessing.
  query(path, "DELETE FROM applied_migrations WHERE id = '002_stars' RETURNING id");
  expect(await migrateTo(path, TWO)).toMatchObject({ code: "migration_failed", migration: "002_stars" });
});

test("[MIG-04] an edited migration stops the start and nothing is repaired", async () => {
  const path = join(tempDir(), "x.db");
  await migrateTo(path, ONE);
  const before = readFileSync(path);
  const fault = await migrateTo(path, { "001_initial.sql": `${ONE["001_initial.sql"]}-- a comment\n` });
  expect(fault).toEqual({ code: "migration_edited", file: path, migration: "001_initial" });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("[MIG-05] a recorded migration without its file stops the start and asks for the operator", async () => {
  const path = join(tempDir(), "x.db");
  await migrateTo(path, TWO);
  const before = readFileSync(path);
  const fault = await migrateTo(path, ONE);
  expect(fault).toEqual({ code: "migration_missing", file: path, migration: "002_stars" });
  expect(fault === null ? "" : startFaultSentence(fault)).toContain("newer version of Silas");
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("[MIG-06] starting again on a migrated database changes nothing, whatever it holds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string(), { maxLength: 5 }), fc.integer({ min: 1, max: 3 }), async (texts, times) => {
      const path = join(tempDir(), "x.db");
      await migrateTo(path, TWO);
      const db = new DatabaseSync(path);
      for (const text of texts) db.prepare("INSERT INTO notes (text) VALUES (?)").run(text);
      db.close();
      const before = [query(path, "SELECT * FROM notes"), query(path, "SELECT * FROM applied_migrations")];
      for (let round = 0; round < times; round += 1) {
        expect(await migrateTo(path, TWO, "2027-01-01T00:00:00.000Z" as Instant)).toBeNull();
      }
      expect([query(path, "SELECT * FROM notes"), query(path, "SELECT * FROM applied_migrations")]).toEqual(before);
    }),
    { numRuns: 15 },
  );
});

test("[MIG-07] a failing migration is taken back whole, later ones are not tried, and nothing is opened", async () => {
  const dataDir = tempDir();
  const dir = join(tempDir(), "migrations");
  cpSync(SHIPPED_MIGRATIONS, dir, { recursive: true });
  const options = { dataDir, clock: fixedClock, random: countingRandom(), migrationsDir: dir, auditRules };
  await must(await openStores(options)).close();
  const file = join(dataDir, "db.sqlite");
  const applied = query(file, "SELECT id FROM applied_migrations");
  const idAfter = (more: number, name: string) => `${String(applied.length + more).padStart(3, "0")}_${name}`;
  const broken = "CREATE TABLE half (a TEXT);\nINSERT INTO nowhere VALUES (1);\n";
  writeFileSync(join(dir, "journal", `${idAfter(1, "broken")}.sql`), broken);
  writeFileSync(join(dir, "journal", `${idAfter(2, "later")}.sql`), "CREATE TABLE later (a TEXT);\n");
  const fault = mustFail(await openStores(options));
  expect(fault).toMatchObject({ code: "migration_failed", migration: idAfter(1, "broken"), file });
  expect(query(file, "SELECT name FROM sqlite_master WHERE name IN ('half', 'later')")).toEqual([]);
  expect(query(file, "SELECT id FROM applied_migrations")).toEqual(applied);
  const { backup } = fault as { backup: string };
  expect(must(await verifyBackup(backup)).files[0]?.name).toBe("db.sqlite");
});

test("before a migration of existing data a verified copy is taken, and it can be put back", async () => {
  const dataDir = tempDir();
  const path = join(dataDir, "db.sqlite");
  await migrateTo(path, ONE);
  query(path, "INSERT INTO notes (text) VALUES ('keep me') RETURNING 1");
  expect(existsSync(join(dataDir, "backups"))).toBe(false);
  await migrateTo(path, TWO);
  const [name = ""] = readdirSync(join(dataDir, "backups"));
  const source = join(dataDir, "backups", name);
  expect(must(await verifyBackup(source))).toMatchObject({
    reason: "before_migration",
    files: [{ name: "db.sqlite", schema_version: "001_initial" }],
  });
  must(await restoreBackup({ dataDir, source, clock: fixedClock, random: countingRandom() }));
  expect(query(path, "SELECT * FROM notes")).toEqual([{ text: "keep me" }]);
  expect(query(path, "SELECT id FROM applied_migrations")).toEqual([{ id: "001_initial" }]);
});

test("the five newest copies from before a migration stay, the others go by name, and nothing else is touched", async () => {
  const dataDir = tempDir();
  const path = join(dataDir, "db.sqlite");
  const gone: string[] = [];
  const files: Record<string, string> = { ...ONE };
  await migrateTo(path, files);
  mkdirSync(join(dataDir, "backups"));
  const own = join(dataDir, "backups", "db.sqlite-before-i-left");
  mkdirSync(own);
  for (let number = 2; number <= 8; number += 1) {
    files[`00${number}_t.sql`] = `CREATE TABLE t${number} (a TEXT);\n`;
    const at = `2026-11-${10 + number}T08:00:00.000Z` as Instant;
    const store = { path, synchronous: "FULL", migrationsDir: migrationsDir(files), at } as const;
    must(await openMigrated({ ...store, onPruned: (pruned) => void gone.push(basename(pruned)) })).close();
  }
  const kept = readdirSync(join(dataDir, "backups")).filter((name) => name !== basename(own));
  expect(kept.map((name) => name.slice(0, "db.sqlite-before-004".length))).toEqual(
    [4, 5, 6, 7, 8].map((number) => `db.sqlite-before-00${number}`),
  );
  expect(gone.map((name) => name.slice(0, "db.sqlite-before-004".length))).toEqual([
    "db.sqlite-before-002",
    "db.sqlite-before-003",
  ]);
  expect(existsSync(own)).toBe(true);
});

test("an empty data directory becomes a migrated one, and opening it again harms nothing", async () => {
  const dataDir = join(tempDir(), "new", "data");
  const options = { dataDir, clock: fixedClock, random: countingRandom(), auditRules };
  const stores = must(await openStores(options));
  const { hostId } = stores.journal;
  await stores.close();
  const again = must(await openStores(options));
  expect(again.journal.hostId).toBe(hostId);
  await again.close();
  for (const [file, store] of [
    ["silas.db", "runtime"],
    ["db.sqlite", "journal"],
  ] as const) {
    const ids = must(readMigrations(join(SHIPPED_MIGRATIONS, store))).map(({ id }) => ({ id }));
    expect(query(join(dataDir, file), "SELECT id FROM applied_migrations")).toEqual(ids);
  }
  expect(existsSync(join(dataDir, "backups"))).toBe(false);
});

test("the journal and the runtime file each open and migrate without the other", async () => {
  const options = { clock: fixedClock, random: countingRandom(), auditRules };
  const journalDir = tempDir();
  await must(await openJournal({ ...options, dataDir: journalDir })).close();
  expect(existsSync(join(journalDir, "silas.db"))).toBe(false);
  const runtimeDir = tempDir();
  must(await openRuntime({ ...options, dataDir: runtimeDir })).close();
  expect(existsSync(join(runtimeDir, "db.sqlite"))).toBe(false);
  rmSync(runtimeDir, { recursive: true });
});
