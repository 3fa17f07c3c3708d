import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { readMessage, type QueueText } from "#engine";
import { QUEUE_STATES } from "#sim";
import { openMigrated } from "../open-store.ts";
import { SHIPPED_MIGRATIONS } from "../open-stores.ts";
import { AT, must, tempDir } from "../store.fixture.ts";

const shipped = join(SHIPPED_MIGRATIONS, "runtime");

/** A `silas.db` of the version before decisions were messages. */
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

/** The decisions on the queue, as they read there. */
const queued = (db: DatabaseSync): readonly unknown[] =>
  (db.prepare(`SELECT kind, message FROM ${QUEUE_STATES} ORDER BY message_id`).all() as QueueText[]).map(
    (row) => readMessage(row)?.payload,
  );

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
  expect(queued(db)).toEqual([
    { requestId: "connection_setup-open", kind: "connection_setup" },
    { requestId: "gate-open", kind: "gate_approval" },
    { requestId: "memory_promotion-open", kind: "memory_promotion" },
    { requestId: "permission_escalation-open", kind: "permission_escalation" },
    { requestId: "skill_install-open", kind: "skill_install" },
  ]);
  db.close();
});

test("[BUS-13] dispatches of an older version name their request, dead ones too, and one without a grant stays for its start", async () => {
  const old = await makeOldFile();
  propose(old, { id: "request-1", kind: "plan_approval", state: "approved" });
  old.exec(`INSERT INTO approval_tokens (token_id, nonce, plan_hash, key_id, max_executions, token)
      VALUES ('token-1', 'nonce-1', 'h', 'k', 2, '{}');
    INSERT INTO decision_tokens VALUES ('request-1', 0, 'token-1');
    INSERT INTO approval_uses VALUES ('nonce-1', 1, 'h', 'run-1', '${AT}'), ('nonce-1', 2, 'h', 'run-2', '${AT}')`);
  const insert = old.prepare(
    `INSERT INTO queue_messages (queue, message_id, scope_id, turn, state, reason, dead_at, message)
     VALUES ('runtime_queue', ?, 'owner', ?, ?, ?, ?, ?)`,
  );
  for (const [turn, run] of ["run-1", "run-2", "run-lost"].entries()) {
    const isDead = run === "run-2";
    const told = { message_id: `run_granted:${run}`, message_kind: "system_event", sender: "runtime", trace_id: run };
    const payload = { event: "run_granted", run_id: run };
    const message = { ...told, scope_id: "owner", taint: "owner", created_at: AT, task_id: "work", payload };
    const end = isDead ? ["dead", "handling_failed", AT] : ["waiting", null, null];
    insert.run(`run_granted:${run}`, turn + 1, ...end, JSON.stringify(message));
  }
  const db = await migrate(old);
  const run = { requestId: "request-1", kind: "plan_approval", workItemId: "work" };
  expect(queued(db)).toEqual([{ ...run, runId: "run-1" }, { ...run, runId: "run-2" }, undefined]);
  expect(db.prepare(`SELECT message_id, state FROM ${QUEUE_STATES} ORDER BY message_id`).all()).toMatchObject([
    { message_id: "decided:run-1", state: "ready" },
    { message_id: "decided:run-2", state: "dead" },
    { message_id: "run_granted:run-lost", state: "ready" },
  ]);
  db.close();
});
