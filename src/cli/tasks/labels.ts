import { oneLine } from "#base";
import type { Define, Handler } from "../terminal/context.ts";
import { shortId } from "../journal/ids.ts";
import { printOutcome, resolveLabel } from "../journal/records.ts";
import { printTable } from "../terminal/table.ts";

type Json = { readonly json?: boolean };

export const defineLabels: Define = (labels, act) => {
  const json = ["--json", "print what changed as JSON"] as const;
  labels.command("list").description("List labels.").option("--json", "print JSON").action(act(listLabels));
  labels
    .command("add <name>")
    .description("Add a label.")
    .option(...json)
    .action(act(addLabel));
  labels
    .command("rename <label> <name>")
    .description("Rename a label.")
    .option(...json)
    .action(act(renameLabel));
  labels
    .command("delete <label>")
    .description("Delete a label and take it off its tasks.")
    .option(...json)
    .action(act(deleteLabel));
};

const listLabels: Handler<Json> = ({ options, terminal, journal }) =>
  journal(async (client) => {
    const labels = await client.ask({ kind: "labels" });
    if (options.json) return terminal.json({ labels });
    if (labels.length === 0) return terminal.note("No labels yet.");
    const rows = labels.map((label) => [shortId(label.id), label.body.name]);
    printTable(terminal, { columns: [{ header: "ID" }, { header: "LABEL", flexible: true }], rows });
  });

const addLabel: Handler<Json> = ({ args: [name = ""], options, terminal, journal }) =>
  journal(async (client) => {
    const outcome = await client.submit({ kind: "label.create", name });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Added label ${oneLine(name)}`,
    });
  });

const renameLabel: Handler<Json> = ({ args: [label = "", name = ""], options, terminal, journal }) =>
  journal(async (client) => {
    const outcome = await client.submit({ kind: "label.update", id: await resolveLabel(client, label), name });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Label ${oneLine(label)} is now ${oneLine(name)}`,
    });
  });

const deleteLabel: Handler<Json> = ({ args: [label = ""], options, terminal, journal }) =>
  journal(async (client) => {
    const outcome = await client.submit({ kind: "label.delete", id: await resolveLabel(client, label) });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Deleted label ${oneLine(label)}`,
    });
  });
