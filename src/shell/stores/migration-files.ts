import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { err, ok, sha256Hex, type Result, type Sha256Hex } from "#base";

export type Migration = {
  /** The file's name without its ending, e.g. `001_initial`: what `applied_migrations` records. */
  readonly id: string;
  readonly statements: readonly string[];
  readonly checksum: Sha256Hex;
};
type FilesProblem = { readonly code: "migration_files_invalid"; readonly reason: string };

const NAME = /^(\d{3})_[a-z0-9]+(?:_[a-z0-9]+)*\.sql$/;

/** Reads a store's migrations. Numbers run 001, 002, … without a gap, a repeat or a stranger among them. [MIG-02] */
export function readMigrations(dir: string): Result<readonly Migration[], FilesProblem> {
  const names = readdirSync(dir).toSorted();
  const migrations: Migration[] = [];
  for (const [index, name] of names.entries()) {
    const number = NAME.exec(name)?.[1];
    if (number === undefined) return invalid(`${name} is not named like 001_initial.sql`);
    if (Number(number) !== index + 1) {
      return invalid(`${name} stands where number ${String(index + 1).padStart(3, "0")} is expected`);
    }
    const sql = readFileSync(join(dir, name), "utf8");
    const statements = statementsOf(sql);
    const unfit = statements.find((statement) =>
      /^(BEGIN|COMMIT|END|ROLLBACK|PRAGMA|ATTACH|VACUUM)\b/i.test(statement),
    );
    if (unfit !== undefined) return invalid(`${name} holds a statement that cannot run inside its transaction`);
    migrations.push({ id: name.slice(0, -".sql".length), statements, checksum: sha256Hex(sql) });
  }
  return migrations.length === 0 ? invalid(`${dir} holds no migration`) : ok(migrations);
}

const invalid = (reason: string) => err({ code: "migration_files_invalid", reason } as const);

/** A statement ends with a semicolon at the end of a line; one that begins a trigger ends with a line `END;`. */
function statementsOf(sql: string): readonly string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  for (const line of sql.split("\n")) {
    if (lines.length === 0 && (line.trim() === "" || line.startsWith("--"))) continue;
    lines.push(line);
    const isTrigger = /^CREATE TRIGGER\b/i.test(lines[0] ?? "");
    if (isTrigger ? /^END;\s*$/i.test(line) : /;\s*$/.test(line)) {
      statements.push(lines.join("\n"));
      lines = [];
    }
  }
  return lines.length === 0 ? statements : [...statements, lines.join("\n")];
}
