import { msOfInstant, oneLine, neutralise } from "#base";
import type { TaskDetail, TaskRow, TaskView } from "#model";
import type { Handler } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import { shortId } from "../journal/ids.ts";
import type { JournalClient } from "../client/journal-client.ts";
import { showMinutes, showMoment, type HereAndNow } from "../terminal/local-time.ts";
import { resolveCategory, resolveLabel, resolveTask } from "../journal/records.ts";
import { printTable } from "../terminal/table.ts";

type ListOptions = {
  readonly view: TaskView;
  readonly category?: string;
  readonly label?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: boolean;
};

export const listTasks: Handler<ListOptions> = ({ options, terminal, here, journal }) =>
  journal(async (client) => {
    const { view, category, label, cursor } = options;
    const page = await client.ask({
      kind: "tasks",
      view,
      today: here.today,
      limit: parseRows(options.limit),
      ...(category === undefined ? {} : { categoryId: await resolveCategory(client, category) }),
      ...(label === undefined ? {} : { labelId: await resolveLabel(client, label) }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (options.json) return terminal.json({ view, today: here.today, tasks: page.rows, nextCursor: page.nextCursor });
    if (page.rows.length === 0) return terminal.note(EMPTY[view]);
    const names = await namesById(client);
    const rows = page.rows.map((row) => taskCells(row, { names, here }));
    printTable(terminal, { columns: TASK_COLUMNS, rows });
    if (page.nextCursor !== null) terminal.note(`More follow: add --cursor ${page.nextCursor}`);
  });

export const showTask: Handler<{ readonly json?: boolean }> = ({ args, options, terminal, journal }) =>
  journal(async (client) => {
    const id = await resolveTask(client, args[0] ?? "");
    const detail = await client.ask({ kind: "task", id });
    if (detail === null) throw new CommandFailure({ what: `There is no task "${args[0] ?? ""}".` });
    if (options.json) return terminal.json(detail);
    for (const line of describeTask(detail, await namesById(client))) terminal.line(line);
  });

const EMPTY: { readonly [V in TaskView]: string } = {
  open: 'No open tasks. Capture one: silas tasks add "call Ana tomorrow 9 #home"',
  today: "Nothing is due today.",
  upcoming: "Nothing is due later.",
  inbox: "The inbox is empty.",
  done: "No task was concluded yet.",
  archived: "The archive is empty.",
};

export const TASK_COLUMNS = [
  { header: "ID" },
  { header: "P", spare: 5 },
  { header: "DUE", spare: 6 },
  { header: "TASK", flexible: true },
  { header: "CATEGORY", spare: 4 },
  { header: "ITEMS", align: "right", spare: 3 },
  { header: "EST", align: "right", spare: 2 },
  { header: "SPENT", align: "right", spare: 1 },
] as const;

type Names = ReadonlyMap<string, string>;

export function taskCells(row: TaskRow, by: { readonly names: Names; readonly here: HereAndNow }): string[] {
  const { body, id } = row.task;
  const labels = body.labelIds.map((label) => ` #${by.names.get(label) ?? shortId(label)}`).join("");
  const closed = body.status === "DONE" ? "✓ " : body.status === "DROPPED" ? "✗ " : "";
  return [
    shortId(id),
    body.priority === null ? "" : `!${body.priority}`,
    body.dueDate === null ? "" : dueText(body.dueDate, { time: body.dueTime, today: by.here.today }),
    `${closed}${body.title}${labels}${body.repeat === null ? "" : " ↻"}`,
    body.categoryId === null ? "" : (by.names.get(body.categoryId) ?? ""),
    row.itemsTotal === 0 ? "" : `${row.itemsChecked}/${row.itemsTotal}`,
    body.estimateMinutes === null ? "" : showMinutes(body.estimateMinutes),
    spentText(row, by.here),
  ];
}

export async function namesById(client: JournalClient): Promise<Names> {
  const [categories, labels] = await Promise.all([client.ask({ kind: "categories" }), client.ask({ kind: "labels" })]);
  return new Map([...categories, ...labels].map((record) => [record.id, record.body.name]));
}

export function parseRows(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1 || Number(text) > 500)
    throw usage(`--limit is a number from 1 to 500, not "${text}".`);
  return Number(text);
}

function dueText(date: string, at: { readonly time: string | null; readonly today: string }): string {
  const day = date === at.today ? "today" : date;
  return at.time === null ? day : `${day} ${at.time}`;
}

function spentText(row: TaskRow, here: HereAndNow): string {
  const running = row.runningSince === null ? 0 : (msOfInstant(here.now) - msOfInstant(row.runningSince)) / 1000;
  const minutes = (row.spentSeconds + Math.max(0, running)) / 60;
  if (row.runningSince !== null) return `${showMinutes(minutes)} ▶`;
  return row.spentSeconds === 0 ? "" : showMinutes(minutes);
}

function describeTask(detail: TaskDetail, names: Names): string[] {
  const { body, id } = detail.task;
  const fields: [string, string | null][] = [
    ["id", id],
    ["status", body.status.toLowerCase().replace("_", " ")],
    ["priority", body.priority === null ? null : String(body.priority)],
    ["due", body.dueDate === null ? null : `${body.dueDate}${body.dueTime === null ? "" : ` ${body.dueTime}`}`],
    [
      "repeats",
      body.repeat === null ? null : `every ${body.repeat.every} ${body.repeat.unit}(s) from ${body.repeat.from}`,
    ],
    ["estimate", body.estimateMinutes === null ? null : showMinutes(body.estimateMinutes)],
    ["spent", detail.spentSeconds === 0 ? null : showMinutes(detail.spentSeconds / 60)],
    ["category", body.categoryId === null ? null : (names.get(body.categoryId) ?? shortId(body.categoryId))],
    ["labels", body.labelIds.map((label) => names.get(label) ?? shortId(label)).join(", ") || null],
    ["rating", detail.rating === null ? null : `${detail.rating.body.value} of 5`],
    ["follows", detail.source === null ? null : `${shortId(detail.source.id)} ${detail.source.body.title}`],
    ["concluded", body.concludedAt === null ? null : showMoment(body.concludedAt)],
    ["archived", body.archivedAt === null ? null : showMoment(body.archivedAt)],
  ];
  return [
    oneLine(body.title),
    ...fields.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(10)}${oneLine(value)}`])),
    ...detail.checklists.flatMap(({ checklist, items }) => [
      `  ${oneLine(checklist.body.title) || "checklist"}`,
      ...items.map((item) => `    [${item.body.checked ? "x" : " "}] ${shortId(item.id)} ${oneLine(item.body.title)}`),
    ]),
    ...detail.followUps.map((task) => `  followed by ${shortId(task.id)} ${oneLine(task.body.title)}`),
    ...detail.links.map(
      ({ link, other }) =>
        `  ${link.body.relation} ${other === null ? "" : `${shortId(other.id)} ${oneLine(other.title)}`}`,
    ),
    ...(body.notes === "" ? [] : ["", ...body.notes.split("\n").map((line) => `  ${neutralise(line)}`)]),
  ];
}
