import { neutralise, oneLine } from "#base";
import type { RecordOf, TimelineRow } from "#model";
import type { Handler } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import { shortId } from "./ids.ts";
import type { JournalClient } from "../client/journal-client.ts";
import { instantAt, parseDay, parseMoment, showMoment } from "../terminal/local-time.ts";
import {
  changed,
  printOutcome,
  resolveCategory,
  resolveCategoryOrNone,
  resolveEntry,
  resolveTask,
  resolveTaskOrNone,
} from "./records.ts";
import { printTable } from "../terminal/table.ts";
import { parseRows } from "../tasks/show.ts";
import { addDays } from "#base";

type Json = { readonly json?: boolean };
type AddOptions = Json & { readonly when: string; readonly category?: string; readonly task?: string };

export const addNote: Handler<AddOptions> = ({ args, options, terminal, here, journal }) =>
  journal(async (client) => {
    const { category, task } = options;
    const outcome = await client.submit({
      kind: "entry.create",
      form: "text",
      occurredAt: parseMoment(options.when, here),
      text: args.join(" "),
      ...(category === undefined ? {} : { categoryId: await resolveCategory(client, category) }),
      ...(task === undefined ? {} : { taskId: await resolveTask(client, task) }),
    });
    const note = changed(outcome, "entry");
    const sentence =
      note === undefined ? "Nothing changed." : `Noted: ${shortId(note.id)} ${showMoment(note.body.occurredAt)}`;
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence,
    });
  });

type ListOptions = Json & {
  readonly from: string;
  readonly to: string;
  readonly limit: string;
  readonly cursor?: string;
};

export const listNotes: Handler<ListOptions> = ({ options, terminal, here, journal }) =>
  journal(async (client) => {
    const midnight = { hour: 0, minute: 0 };
    const page = await client.ask({
      kind: "timeline",
      from: instantAt(parseDay(options.from, here), midnight),
      to: instantAt(addDays(parseDay(options.to, here), 1), midnight),
      limit: parseRows(options.limit),
      ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
    });
    if (options.json) return terminal.json({ timeline: page.rows, nextCursor: page.nextCursor });
    if (page.rows.length === 0)
      return terminal.note('Nothing was written in these days. Write: silas journal add "slept well"');
    const columns = [
      { header: "ID" },
      { header: "WHEN", spare: 2 },
      { header: "WHAT", spare: 1 },
      { header: "TEXT", flexible: true },
    ] as const;
    printTable(terminal, { columns, rows: page.rows.map(timelineCells) });
    if (page.nextCursor !== null) terminal.note(`More follow: add --cursor ${page.nextCursor}`);
  });

export const showNote: Handler<Json> = ({ args: [fragment = ""], options, terminal, journal }) =>
  journal(async (client) => {
    const note = await loadNote(client, fragment);
    if (options.json) return terminal.json(note);
    terminal.line(`${note.id}  ${showMoment(note.body.occurredAt)}`);
    terminal.line(neutralise(note.body.text));
  });

type EditOptions = Json & {
  readonly text?: string;
  readonly when?: string;
  readonly category?: string;
  readonly task?: string;
};

export const editNote: Handler<EditOptions> = ({ args: [fragment = ""], options, terminal, here, journal }) =>
  journal(async (client) => {
    const { text, when, category, task } = options;
    const set = {
      ...(text === undefined ? {} : { text }),
      ...(when === undefined ? {} : { occurredAt: parseMoment(when, here) }),
      ...(category === undefined ? {} : { categoryId: await resolveCategoryOrNone(client, category) }),
      ...(task === undefined ? {} : { taskId: await resolveTaskOrNone(client, task) }),
    };
    if (Object.keys(set).length === 0)
      throw usage("Nothing to change was given.", "`silas journal edit --help` lists the fields.");
    const id = await resolveEntry(client, fragment);
    const outcome = await client.submit({ kind: "entry.update", id, set });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Changed: ${shortId(id)}`,
    });
  });

export const deleteNote: Handler<Json> = ({ args: [fragment = ""], options, terminal, journal }) =>
  journal(async (client) => {
    const id = await resolveEntry(client, fragment);
    const outcome = await client.submit({ kind: "entry.delete", id });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Deleted: ${shortId(id)} (silas undo brings it back)`,
    });
  });

function timelineCells(row: TimelineRow): string[] {
  if (row.kind === "entry") return [shortId(row.id), showMoment(row.body.occurredAt), "note", row.body.text];
  if (row.kind === "timeEntry") return [shortId(row.id), showMoment(row.body.startedAt), "time", row.body.description];
  const at = row.body.concludedAt ?? row.updatedAt;
  return [shortId(row.id), showMoment(at), row.body.status === "DROPPED" ? "dropped" : "done", oneLine(row.body.title)];
}

async function loadNote(client: JournalClient, fragment: string): Promise<RecordOf<"entry">> {
  const id = await resolveEntry(client, fragment);
  let cursor: string | undefined;
  do {
    const page: Awaited<ReturnType<typeof askAll>> = await askAll(client, cursor);
    const note = page.rows.find((row): row is RecordOf<"entry"> => row.kind === "entry" && row.id === id);
    if (note !== undefined) return note;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  throw new CommandFailure({
    what: `There is no note "${fragment}".`,
    next: "`silas journal list` shows what there is.",
  });
}

const askAll = (client: JournalClient, cursor: string | undefined) =>
  client.ask({
    kind: "timeline",
    from: "0000-01-01T00:00:00.000Z",
    to: "9999-12-31T23:59:59.999Z",
    limit: 500,
    ...(cursor === undefined ? {} : { cursor }),
  });
