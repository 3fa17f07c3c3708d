import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { instantFromMs, msOfInstant } from "#base";
import type { Finding } from "./doctor.ts";
import type { HereAndNow } from "../terminal/local-time.ts";

const STORES = [
  { name: "journal", file: "db.sqlite" },
  { name: "runtime", file: "silas.db" },
] as const;
const CLOCK_SLACK_MS = 5 * 60_000;

type Subject = { readonly setup: { readonly paths: { readonly dataDir: string } }; readonly here: HereAndNow };

/** Looks into each database without writing to it: whole pages, applied migrations, dates that have not come yet. */
export function checkStores({ setup, here }: Subject): Finding[] {
  return STORES.flatMap(({ name, file }): Finding[] => {
    const path = join(setup.paths.dataDir, file);
    if (!existsSync(path)) {
      return [{ check: name, state: "warn", message: `${file} does not exist yet`, fix: "silas init" }];
    }
    try {
      const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
      try {
        return [
          checkPages(database, { name, file }),
          checkMigrations(database, { name, file }),
          ...checkDates(database, { file, here }),
        ];
      } finally {
        database.close();
      }
    } catch {
      return [damaged(name, file)];
    }
  });
}

type Store = { readonly name: string; readonly file: string };

function checkPages(database: DatabaseSync, { name, file }: Store): Finding {
  const rows = database.prepare("PRAGMA quick_check(1)").all() as { readonly quick_check: string }[];
  if (rows[0]?.quick_check !== "ok") return damaged(name, file);
  return { check: name, state: "ok", message: `${file} is whole`, fix: null };
}

const damaged = (check: string, file: string): Finding => ({
  check,
  state: "fail",
  message: `${file} is damaged or no database of Silas`,
  fix: "silas restore BACKUP puts a copy back",
});

function checkMigrations(database: DatabaseSync, { name, file }: Store): Finding {
  const check = `${name} schema`;
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'applied_migrations'").get();
  if (table === undefined)
    return { check, state: "warn", message: `${file} has no migrations applied`, fix: "silas init" };
  const row = database.prepare("SELECT count(*) AS count, max(id) AS last FROM applied_migrations").get();
  return {
    check,
    state: "ok",
    message: `${String(row?.["count"])} applied, the last is ${String(row?.["last"])}`,
    fix: null,
  };
}

/** Only the journal has dated records. */
function checkDates(
  database: DatabaseSync,
  { file, here }: { readonly file: string; readonly here: HereAndNow },
): Finding[] {
  if (file !== "db.sqlite") return [];
  const limit = instantFromMs(msOfInstant(here.now) + CLOCK_SLACK_MS);
  if (!limit.ok) return [];
  const row = database.prepare("SELECT count(*) AS count FROM records WHERE updated_at > ?").get(limit.value);
  const count = Number(row?.["count"] ?? 0);
  if (count === 0) return [{ check: "dates", state: "ok", message: "no record is from the future", fix: null }];
  return [
    {
      check: "dates",
      state: "warn",
      message: `${count} record(s) were changed in the future`,
      fix: "check the date of this computer",
    },
  ];
}
