/** Tables that the migrations make and no statement of the stores fills or asks. */
import { isTest, type Check, type Project } from "./project.ts";
import { readSource } from "./source.ts";

const STORES = /^src\/(?:shell\/stores|engine)\//;
const MIGRATION = /\/migrations\/.*\.sql$/;
const CHANGES = /\b(CREATE (?:VIRTUAL )?TABLE|DROP TABLE|ALTER TABLE) (\w+)(?: RENAME TO (\w+))?/g;

export const everyTableIsUsed: Check = (project) => {
  const statements = statementsOf(project);
  return [...tablesOf(project)].flatMap(([table, path]) => {
    const isWritten = new RegExp(`\\b(?:INSERT(?: OR \\w+)? INTO|UPDATE(?: OR \\w+)?|REPLACE INTO) ${table}\\b`);
    // A part of a statement may begin with the table, and a write asks it by what it returns or runs into.
    const asked = [`(?<!DELETE )\\b(?:FROM|JOIN) ${table}\\b`, `["\`]${table} \\w`];
    const changed = `\\b(?:UPDATE|INTO) ${table}\\b[^;"\`]*\\b(?:RETURNING|ON CONFLICT)\\b`;
    const isRead = new RegExp([...asked, changed].join("|"));
    const missing = [isWritten.test(statements) ? "" : "writer", isRead.test(statements) ? "" : "reader"].filter(
      Boolean,
    );
    return missing.map((role) => ({ path, message: `makes the table ${table}, which has no ${role}` }));
  });
};

/** Every table that is there after all migrations, with the file that made it. */
function tablesOf(project: Project): ReadonlyMap<string, string> {
  const tables = new Map<string, string>();
  const files = [...project.keys()].filter((path) => MIGRATION.test(path)).toSorted();
  for (const path of files) {
    for (const { 1: change = "", 2: table = "", 3: renamed } of (project.get(path) ?? "").matchAll(CHANGES)) {
      if (change.startsWith("CREATE")) tables.set(table, path);
      else if (change.startsWith("DROP")) tables.delete(table);
      else if (renamed !== undefined && tables.delete(table)) tables.set(renamed, path);
    }
  }
  return tables;
}

/** The statements of the product, and of triggers. A migration that fills a table once is no writer. */
function statementsOf(project: Project): string {
  const own = [...project]
    .filter(([path]) => STORES.test(path) && path.endsWith(".ts") && !isTest(path))
    .map(([, source]) => readSource(source).text);
  const triggers = [...project]
    .filter(([path]) => MIGRATION.test(path))
    .flatMap(([, text]) => text.match(/CREATE TRIGGER[^]*?\bEND;/g) ?? []);
  return [...own, ...triggers].join("\n").replace(/\s+/g, " ");
}
