import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { assert, sha256Hex } from "#base";
import { createAuditRules } from "#policy";
import { openRuntime } from "#stores";
import { inWorld, type World } from "../disk-run.ts";
import { layMigrated, openMigratedRuntime } from "./migrated.ts";

const FILE = "silas.db";

/** Everything in the file but when it was migrated. */
function contentsOf(dataDir: string): unknown {
  const database = new DatabaseSync(join(dataDir, FILE), { readOnly: true });
  const schema = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").all();
  const rows = schema
    .filter(({ type, name }) => type === "table" && name !== "applied_migrations")
    .map(({ name }) => [name, database.prepare(`SELECT * FROM "${String(name)}"`).all()]);
  const migrations = database.prepare("SELECT id, checksum FROM applied_migrations ORDER BY id").all();
  database.close();
  return { schema, rows, migrations };
}

async function openedBy(open: typeof openRuntime, { root, seeded, clock }: World, name: string): Promise<unknown> {
  const dataDir = join(root, name);
  const opened = await open({ dataDir, clock, random: seeded, auditRules: createAuditRules(sha256Hex) });
  assert(opened.ok, "the runtime opens");
  opened.value.close();
  expect(statSync(join(dataDir, FILE)).mode & 0o777).toBe(0o600);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  return contentsOf(dataDir);
}

test("a file that is laid holds the same as one that was migrated here", () =>
  inWorld(1, async (world) => {
    const migrated = await openedBy(openRuntime, world, "migrated");
    expect(await openedBy(openMigratedRuntime, world, "laid")).toEqual(migrated);
  }));

test("a file that is there is left as it is", () =>
  inWorld(1, async ({ root }) => {
    writeFileSync(join(root, FILE), "");
    layMigrated(root);
    expect(statSync(join(root, FILE)).size).toBe(0);
  }));
