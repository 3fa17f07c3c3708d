import { oneLine } from "#base";
import type { Define, Handler } from "../terminal/context.ts";
import { shortId } from "./ids.ts";
import { printOutcome, resolveCategory } from "./records.ts";
import { printTable } from "../terminal/table.ts";

type Json = { readonly json?: boolean };

export const define: Define = (categories, act) => {
  const json = ["--json", "print what changed as JSON"] as const;
  categories
    .command("list")
    .description("List categories.")
    .option("--archived", "also archived ones")
    .option("--json", "print JSON")
    .action(act(listCategories));
  categories
    .command("add <name>")
    .description("Add a category.")
    .option(...json)
    .action(act(addCategory));
  categories
    .command("rename <category> <name>")
    .description("Rename a category.")
    .option(...json)
    .action(act(renameCategory));
  categories
    .command("archive <category>")
    .description("Put a category out of sight.")
    .option(...json)
    .action(act(setArchived("category.archive")));
  categories
    .command("unarchive <category>")
    .description("Bring a category back.")
    .option(...json)
    .action(act(setArchived("category.unarchive")));
};

const listCategories: Handler<Json & { readonly archived?: true }> = ({ options, terminal, journal }) =>
  journal(async (client) => {
    const all = await client.ask({ kind: "categories" });
    const categories = all.filter(({ body }) => options.archived || body.archivedAt === null);
    if (options.json) return terminal.json({ categories });
    if (categories.length === 0) return terminal.note("No categories yet. Add one: silas categories add home");
    const rows = categories.map(({ id, body }) => [shortId(id), body.name, body.archivedAt === null ? "" : "archived"]);
    const columns = [{ header: "ID" }, { header: "CATEGORY", flexible: true }, { header: "STATE" }] as const;
    printTable(terminal, { columns, rows });
  });

const addCategory: Handler<Json> = ({ args: [name = ""], options, terminal, journal }) =>
  journal(async (client) => {
    const outcome = await client.submit({ kind: "category.create", name });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Added category ${oneLine(name)}`,
    });
  });

const renameCategory: Handler<Json> = ({ args: [category = "", name = ""], options, terminal, journal }) =>
  journal(async (client) => {
    const outcome = await client.submit({
      kind: "category.update",
      id: await resolveCategory(client, category),
      set: { name },
    });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Category ${oneLine(category)} is now ${oneLine(name)}`,
    });
  });

const setArchived =
  (kind: "category.archive" | "category.unarchive"): Handler<Json> =>
  ({ args: [category = ""], options, terminal, journal }) =>
    journal(async (client) => {
      const outcome = await client.submit({ kind, id: await resolveCategory(client, category) });
      const word = kind === "category.archive" ? "archived" : "back from the archive";
      printOutcome(terminal, {
        outcome,
        json: options.json,
        sentence: `Category ${oneLine(category)} is ${word}`,
      });
    });
