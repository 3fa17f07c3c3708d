import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openMigrated } from "../open-store.ts";
import { SHIPPED_MIGRATIONS } from "../open-stores.ts";
import { AT, must, tempDir } from "../store.fixture.ts";

const shipped = join(SHIPPED_MIGRATIONS, "runtime");

/** A `silas.db` of the version before open decisions had a table of their own. */
async function makeOldFile(): Promise<DatabaseSync> {
  const [path, migrationsDir] = [join(tempDir(), "silas.db"), join(tempDir(), "runtime")];
  mkdirSync(migrationsDir);
  for (const name of readdirSync(shipped).filter((one) => one < "034")) {
    copyFileSync(join(shipped, name), join(migrationsDir, name));
  }
  must(await openMigrated({ path, synchronous: "FULL", migrationsDir, at: AT })).close();
  const db = new DatabaseSync(path);
  db.exec("PRAGMA foreign_keys = OFF");
  return db;
}

type Row = { readonly id: string; readonly kind: string; readonly state: string };

function propose(db: DatabaseSync, { id, kind, state }: Row): void {
  const decided = state === "pending" ? null : AT;
  db.prepare(
    `INSERT INTO pending_decisions (request_id, plan_hash, work_item_id, kind, risk_level, projection, card, markdown,
       created_at, proposed_by, state, decided_at, token_id)
     VALUES (?, ?, 'work', ?, 'low', '{}', '{"intent":"Something"}', '', ?, '{}', ?, ?, ?)`,
  ).run(id, `hash-${id}`, kind, AT, state, decided, state === "approved" ? `token-${id}` : null);
}

const open = (db: DatabaseSync): readonly unknown[] =>
  db
    .prepare("SELECT request_id FROM uncarried_decisions ORDER BY request_id")
    .all()
    .map((row) => row["request_id"]);

async function migrate(db: DatabaseSync): Promise<DatabaseSync> {
  const path = String(db.location());
  db.close();
  must(await openMigrated({ path, synchronous: "FULL", migrationsDir: shipped, at: AT })).close();
  const migrated = new DatabaseSync(path);
  migrated.exec("PRAGMA foreign_keys = OFF");
  return migrated;
}

test("decisions of an older version that were not carried out are still open, and the others are not", async () => {
  const old = await makeOldFile();
  for (let number = 0; number < 600; number += 1) {
    propose(old, { id: `plan-${number}`, kind: "plan_approval", state: number % 2 === 0 ? "approved" : "declined" });
  }
  for (const kind of ["skill_install", "connection_setup", "permission_escalation", "memory_promotion"]) {
    for (const what of ["open", "done"]) propose(old, { id: `${kind}-${what}`, kind, state: "approved" });
    propose(old, { id: `${kind}-declined`, kind, state: "declined" });
  }
  for (const [id, state] of [
    ["gate-open", "declined"],
    ["gate-done", "approved"],
  ] as const) {
    propose(old, { id, kind: "gate_approval", state });
  }
  old.exec(`INSERT INTO skill_installs VALUES ('skill_install-done', 'a', 'd', 't', 'active', NULL, '${AT}');
    INSERT INTO connection_setups (request_id, connection_id) VALUES ('connection_setup-done', 'c'),
      ('permission_escalation-done', 'c');
    INSERT INTO memory_promotions VALUES ('memory_promotion-done', 'm', '${AT}');
    INSERT INTO messages VALUES ('m1', 'owner', 'web', 'web', 'x', '${AT}', 'external', 'none', NULL, '', '', '[]', '[]',
      'all', 'waiting', '{"name":"g","reason":"r","plan_hash":"hash-gate-open"}')`);
  const db = await migrate(old);
  expect(open(db)).toEqual([
    "connection_setup-open",
    "gate-open",
    "memory_promotion-open",
    "permission_escalation-open",
    "skill_install-open",
  ]);
  db.close();
});

test("a decision is open from when it is made until it is carried out", async () => {
  const db = await migrate(await makeOldFile());
  const decide = (id: string, state: string) =>
    db
      .prepare("UPDATE pending_decisions SET state = ?, decided_at = ?, token_id = ? WHERE request_id = ?")
      .run(state, AT, state === "approved" ? `token-${id}` : null, id);
  for (const kind of ["skill_install", "connection_setup", "memory_promotion", "gate_approval", "plan_approval"]) {
    for (const state of ["approved", "declined"]) {
      propose(db, { id: `${kind}-${state}`, kind, state: "pending" });
      decide(`${kind}-${state}`, state);
    }
  }
  expect(open(db)).toEqual([
    "connection_setup-approved",
    "gate_approval-approved",
    "gate_approval-declined",
    "memory_promotion-approved",
    "skill_install-approved",
  ]);
  db.exec(`INSERT INTO skill_installs VALUES ('skill_install-approved', 'a', 'd', 't', 'failed', 'r', '${AT}');
    INSERT INTO connection_setups (request_id, connection_id) VALUES ('connection_setup-approved', 'c');
    INSERT INTO memory_promotions VALUES ('memory_promotion-approved', 'm', '${AT}')`);
  expect(open(db)).toEqual(["gate_approval-approved", "gate_approval-declined"]);
  db.close();
});
