import { oneLine } from "#base";
import type { RecordId, TaskDetail } from "#model";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { resolveAmong, shortId } from "../journal/ids.ts";
import type { JournalClient } from "../client/journal-client.ts";
import { printOutcome, resolveTask } from "../journal/records.ts";

type Json = { readonly json?: boolean };

export const defineItems: Define = (items, act) => {
  const json = ["--json", "print what changed as JSON"] as const;
  items
    .command("add <task> <title...>")
    .description("Add checklist items, one per argument.")
    .option(...json)
    .action(act(addItems));
  items
    .command("check <task> <item...>")
    .description("Check items off.")
    .option(...json)
    .action(act(setChecked("checked")));
  items
    .command("uncheck <task> <item...>")
    .description("Open items again.")
    .option(...json)
    .action(act(setChecked("open")));
  items
    .command("delete <task> <item...>")
    .description("Delete items.")
    .option(...json)
    .action(act(deleteItems));
};

const addItems: Handler<Json> = ({ args, options, terminal, journal }) =>
  journal(async (client) => {
    const [fragment = "", ...titles] = args;
    const { task, checklists } = await loadTask(client, fragment);
    const [first] = checklists;
    const outcome = await client.submit(
      first === undefined
        ? { kind: "checklist.create", taskId: task.id, title: "", items: titles }
        : { kind: "item.add", checklistId: first.checklist.id, titles },
    );
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Added ${titles.length} ${titles.length === 1 ? "item" : "items"} to ${oneLine(task.body.title)}`,
    });
  });

const setChecked =
  (to: "checked" | "open"): Handler<Json> =>
  ({ args, options, terminal, journal }) =>
    journal(async (client) => {
      const [fragment = "", ...fragments] = args;
      const detail = await loadTask(client, fragment);
      const ids = await resolveItems(detail, fragments);
      const outcome = await client.submit({
        kind: "item.update",
        items: ids.map((id) => ({ id, checked: to === "checked" })),
      });
      const word = to === "checked" ? "Checked" : "Open again";
      printOutcome(terminal, {
        outcome,
        json: options.json,
        sentence: `${word}: ${ids.map(shortId).join(" ")}`,
      });
    });

const deleteItems: Handler<Json> = ({ args, options, terminal, journal }) =>
  journal(async (client) => {
    const [fragment = "", ...fragments] = args;
    const itemIds = await resolveItems(await loadTask(client, fragment), fragments);
    const outcome = await client.submit({ kind: "item.delete", itemIds });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Deleted: ${itemIds.map(shortId).join(" ")}`,
    });
  });

async function loadTask(client: JournalClient, fragment: string): Promise<TaskDetail> {
  const detail = await client.ask({ kind: "task", id: await resolveTask(client, fragment) });
  if (detail === null) throw new CommandFailure({ what: `There is no task "${fragment}".` });
  return detail;
}

async function resolveItems(detail: TaskDetail, fragments: readonly string[]): Promise<RecordId[]> {
  const items = detail.checklists
    .flatMap((list) => list.items)
    .map((item) => ({ id: item.id, title: item.body.title }));
  const ids: RecordId[] = [];
  for (const fragment of fragments) {
    const list = `silas tasks show ${shortId(detail.task.id)}`;
    ids.push(await resolveAmong(fragment, { noun: "item", list, candidates: items }));
  }
  return ids;
}
