import { neutralise, oneLine } from "#base";
import type { DayView } from "#model";
import type { Define, Handler } from "../terminal/context.ts";
import { usage } from "../terminal/failure.ts";
import { resolveAmong, shortId } from "./ids.ts";
import type { JournalClient } from "../client/journal-client.ts";
import { parseDay, parseMoment, showTime, type HereAndNow } from "../terminal/local-time.ts";
import { printOutcome, resolveCategory, resolveTask } from "./records.ts";
import { renderTable } from "../terminal/table.ts";
import { namesById, TASK_COLUMNS, taskCells } from "../tasks/show.ts";

type Json = { readonly json?: boolean };
type OnDay = Json & { readonly day: string };
const DAY = ["--day <day>", "which day", "today"] as const;
const JSON_WRITE = ["--json", "print what changed as JSON"] as const;

export const define: Define = (plan, act) => {
  plan
    .command("show")
    .description("Show the plan of a day.")
    .option(...DAY)
    .option("--json", "print JSON")
    .action(act(showPlan));
  plan
    .command("pin <task...>")
    .description("Pin tasks to a day.")
    .option(...DAY)
    .option(...JSON_WRITE)
    .action(act(setPins("plan.pin")));
  plan
    .command("unpin <task...>")
    .description("Take tasks off a day.")
    .option(...DAY)
    .option(...JSON_WRITE)
    .action(act(setPins("plan.unpin")));
  const block = plan.command("block").description("Blocks of time in a day.");
  block
    .command("add <from> <to> [note...]")
    .description("Add a block: silas plan-day block add 09:00 10:30 write report.")
    .option("--task <task>", "the task it is for")
    .option("--category <name>", "the category it is for")
    .option(...DAY)
    .option(...JSON_WRITE)
    .action(act(addBlock));
  block
    .command("delete <block>")
    .description("Delete a block.")
    .option(...DAY)
    .option(...JSON_WRITE)
    .action(act(deleteBlock));
  plan
    .command("note <text...>")
    .description("Write the note of a day.")
    .option(...DAY)
    .option(...JSON_WRITE)
    .action(act(writeNote));
};

const showPlan: Handler<OnDay> = ({ options, terminal, here, journal }) =>
  journal(async (client) => {
    const view = await client.ask({ kind: "day", date: parseDay(options.day, here) });
    if (options.json) return terminal.json(view);
    for (const line of await describeDay(view, { client, here, columns: terminal.columns })) terminal.line(line);
  });

const setPins =
  (kind: "plan.pin" | "plan.unpin"): Handler<OnDay> =>
  ({ args, options, terminal, here, journal }) =>
    journal(async (client) => {
      const planDate = parseDay(options.day, here);
      const taskIds = [];
      for (const fragment of args) taskIds.push(await resolveTask(client, fragment));
      const outcome = await client.submit({ kind, planDate, taskIds });
      const word = kind === "plan.pin" ? "Pinned to" : "Taken off";
      printOutcome(terminal, {
        outcome,
        json: options.json,
        sentence: `${word} ${planDate}: ${taskIds.map(shortId).join(" ")}`,
      });
    });

type BlockOptions = OnDay & { readonly task?: string; readonly category?: string };

const addBlock: Handler<BlockOptions> = ({ args: [from = "", to = "", ...words], options, terminal, here, journal }) =>
  journal(async (client) => {
    const planDate = parseDay(options.day, here);
    // A bare time means that day, not today.
    const onDay = { ...here, today: planDate };
    const { task, category } = options;
    const upsert = {
      id: null,
      categoryId: category === undefined ? null : await resolveCategory(client, category),
      taskId: task === undefined ? null : await resolveTask(client, task),
      startTime: parseMoment(from, onDay),
      endTime: parseMoment(to, onDay),
      note: words.join(" "),
    };
    const outcome = await client.submit({ kind: "plan.blocks", planDate, upserts: [upsert], deletes: [] });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Block on ${planDate}: ${from} to ${to}`,
    });
  });

const deleteBlock: Handler<OnDay> = ({ args: [fragment = ""], options, terminal, here, journal }) =>
  journal(async (client) => {
    const planDate = parseDay(options.day, here);
    const { blocks } = await client.ask({ kind: "day", date: planDate });
    const candidates = blocks.map(({ id: blockId, body }) => ({ id: blockId, title: body.note }));
    const id = await resolveAmong(fragment, {
      noun: "block",
      list: `silas plan-day show --day ${planDate}`,
      candidates,
    });
    const outcome = await client.submit({ kind: "plan.blocks", planDate, upserts: [], deletes: [id] });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Deleted block ${shortId(id)}`,
    });
  });

const writeNote: Handler<OnDay> = ({ args, options, terminal, here, journal }) =>
  journal(async (client) => {
    const note = args.join(" ");
    if (note.trim() === "") throw usage("The note is empty.");
    const planDate = parseDay(options.day, here);
    const outcome = await client.submit({ kind: "plan.note", planDate, note });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Note of ${planDate} written`,
    });
  });

const BLOCK_COLUMNS = [{ header: "BLOCK" }, { header: "TIME" }, { header: "WHAT", flexible: true }] as const;

async function describeDay(
  view: DayView,
  by: { readonly client: JournalClient; readonly here: HereAndNow; readonly columns: number },
): Promise<string[]> {
  const names = await namesById(by.client);
  const rating = view.rating === null ? "" : `  rated ${view.rating.body.value} of 5`;
  const blocks = view.blocks.map(({ id, body }) => [
    shortId(id),
    `${showTime(body.startTime)}-${showTime(body.endTime)}`,
    [
      body.categoryId === null ? "" : (names.get(body.categoryId) ?? ""),
      body.taskId === null ? "" : shortId(body.taskId),
      body.note,
    ]
      .filter((part) => part !== "")
      .join(" "),
  ]);
  const pinned = view.pinned.map((row) => taskCells(row, { names, here: by.here }));
  const note = view.plan?.body.note ?? "";
  return [
    oneLine(`${view.date}${rating}`),
    ...(note === "" ? [] : note.split("\n").map(neutralise)),
    ...(pinned.length === 0 ? ["No pinned tasks."] : renderTable({ columns: TASK_COLUMNS, rows: pinned }, by.columns)),
    ...(blocks.length === 0 ? [] : renderTable({ columns: BLOCK_COLUMNS, rows: blocks }, by.columns)),
  ];
}
