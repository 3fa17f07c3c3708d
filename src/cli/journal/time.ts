import { addDays, msOfInstant, oneLine } from "#base";
import type { RecordOf } from "#model";
import type { Define, Handler } from "../terminal/context.ts";
import { usage } from "../terminal/failure.ts";
import { shortId } from "./ids.ts";
import {
  instantAt,
  parseDay,
  parseDuration,
  parseMoment,
  shift,
  showDay,
  showMinutes,
  showTime,
} from "../terminal/local-time.ts";
import { changed, printOutcome, resolveTask, resolveTaskOrNone, resolveTimeEntry } from "./records.ts";
import { printTable } from "../terminal/table.ts";

type Json = { readonly json?: boolean };
const JSON_READ = ["--json", "print JSON"] as const;
const JSON_WRITE = ["--json", "print what changed as JSON"] as const;

export const define: Define = (time, act) => {
  time
    .command("start [text...]")
    .description("Start the timer.")
    .option("--task <task>", "the task it is for")
    .option("--since <moment>", "when it began, 09:30 or -10m", "now")
    .option(...JSON_WRITE)
    .action(act(startTimer));
  time
    .command("stop")
    .description("Stop the timer.")
    .option("--at <moment>", "when it ended", "now")
    .option(...JSON_WRITE)
    .action(act(stopTimer));
  time
    .command("status")
    .description("Show the running timer.")
    .option(...JSON_READ)
    .action(act(showTimer));
  time
    .command("add <duration> [text...]")
    .description("Record time after the fact: silas time add 45m review --task ab12cd.")
    .option("--task <task>", "the task it is for")
    .option("--from <moment>", "when it began; else it ended now")
    .option(...JSON_WRITE)
    .action(act(addTime));
  time
    .command("list")
    .description("List time entries.")
    .option("--from <day>", "first day", "-6")
    .option("--to <day>", "last day", "today")
    .option("--task <task>", "only this task")
    .option(...JSON_READ)
    .action(act(listTime));
  time
    .command("edit <entry>")
    .description("Change a time entry.")
    .option("--from <moment>", "when it began")
    .option("--to <moment>", "when it ended")
    .option("--text <text>", "what it was")
    .option("--task <task>", "the task it is for, or none")
    .option(...JSON_WRITE)
    .action(act(editTime));
  time
    .command("delete <entry>")
    .description("Delete a time entry.")
    .option(...JSON_WRITE)
    .action(act(deleteTime));
};

type StartOptions = Json & { readonly task?: string; readonly since: string };

const startTimer: Handler<StartOptions> = ({ args, options, terminal, here, journal }) =>
  journal(async (client) => {
    const outcome = await client.submit({
      kind: "timer.start",
      taskId: options.task === undefined ? null : await resolveTask(client, options.task),
      startedAt: parseMoment(options.since, here),
      description: args.join(" "),
    });
    const entry = changed(outcome, "timeEntry");
    const sentence = `Timer runs since ${entry === undefined ? "now" : showTime(entry.body.startedAt)}`;
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence,
    });
  });

const stopTimer: Handler<Json & { readonly at: string }> = ({ options, terminal, here, journal }) =>
  journal(async (client) => {
    const outcome = await client.submit({ kind: "timer.stop", endedAt: parseMoment(options.at, here) });
    const entry = changed(outcome, "timeEntry");
    const sentence = entry === undefined ? "Stopped." : `Stopped: ${shortId(entry.id)} ${lengthOf(entry, here.now)}`;
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence,
    });
  });

const showTimer: Handler<Json> = ({ options, terminal, here, journal }) =>
  journal(async (client) => {
    const timer = await client.ask({ kind: "timer" });
    if (options.json) return terminal.json({ timer });
    if (timer === null) return terminal.note("No timer runs.");
    const what = timer.task?.body.title ?? timer.entry.body.description;
    terminal.line(
      `${lengthOf(timer.entry, here.now)} since ${showTime(timer.entry.body.startedAt)}  ${oneLine(what)}`.trimEnd(),
    );
  });

type AddOptions = Json & { readonly task?: string; readonly from?: string };

const addTime: Handler<AddOptions> = ({ args: [duration = "", ...words], options, terminal, here, journal }) =>
  journal(async (client) => {
    const minutes = parseDuration(duration);
    if (minutes === 0) throw usage("A time entry needs at least one minute.");
    const startedAt = options.from === undefined ? shift(here.now, -minutes) : parseMoment(options.from, here);
    const outcome = await client.submit({
      kind: "time.add",
      taskId: options.task === undefined ? null : await resolveTask(client, options.task),
      startedAt,
      endedAt: shift(startedAt, minutes),
      description: words.join(" "),
      sourceEntryId: null,
    });
    const entry = changed(outcome, "timeEntry");
    const sentence =
      entry === undefined ? "Nothing changed." : `Recorded: ${shortId(entry.id)} ${lengthOf(entry, here.now)}`;
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence,
    });
  });

type ListOptions = Json & { readonly from: string; readonly to: string; readonly task?: string };

const listTime: Handler<ListOptions> = ({ options, terminal, here, journal }) =>
  journal(async (client) => {
    const midnight = { hour: 0, minute: 0 };
    const entries = await client.ask({
      kind: "time",
      from: instantAt(parseDay(options.from, here), midnight),
      to: instantAt(addDays(parseDay(options.to, here), 1), midnight),
      ...(options.task === undefined ? {} : { taskId: await resolveTask(client, options.task) }),
    });
    if (options.json) return terminal.json({ timeEntries: entries });
    if (entries.length === 0) return terminal.note("No time was recorded in these days.");
    const columns = [
      { header: "ID" },
      { header: "DAY" },
      { header: "FROM" },
      { header: "TO", spare: 2 },
      { header: "TIME", align: "right" },
      { header: "TASK", spare: 1 },
      { header: "TEXT", flexible: true },
    ] as const;
    const rows = entries.map((entry) => [
      shortId(entry.id),
      showDay(entry.body.startedAt),
      showTime(entry.body.startedAt),
      entry.body.endedAt === null ? "runs" : showTime(entry.body.endedAt),
      lengthOf(entry, here.now),
      entry.body.taskId === null ? "" : shortId(entry.body.taskId),
      entry.body.description,
    ]);
    printTable(terminal, { columns, rows });
  });

type EditOptions = Json & {
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
  readonly task?: string;
};

const editTime: Handler<EditOptions> = ({ args: [fragment = ""], options, terminal, here, journal }) =>
  journal(async (client) => {
    const { from, to, text, task } = options;
    const set = {
      ...(from === undefined ? {} : { startedAt: parseMoment(from, here) }),
      ...(to === undefined ? {} : { endedAt: parseMoment(to, here) }),
      ...(text === undefined ? {} : { description: text }),
      ...(task === undefined ? {} : { taskId: await resolveTaskOrNone(client, task) }),
    };
    if (Object.keys(set).length === 0)
      throw usage("Nothing to change was given.", "`silas time edit --help` lists the fields.");
    const id = await resolveTimeEntry(client, fragment);
    const outcome = await client.submit({ kind: "time.update", id, set });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Changed: ${shortId(id)}`,
    });
  });

const deleteTime: Handler<Json> = ({ args: [fragment = ""], options, terminal, journal }) =>
  journal(async (client) => {
    const id = await resolveTimeEntry(client, fragment);
    const outcome = await client.submit({ kind: "time.delete", id });
    printOutcome(terminal, {
      outcome,
      json: options.json,
      sentence: `Deleted: ${shortId(id)} (silas undo brings it back)`,
    });
  });

function lengthOf(entry: RecordOf<"timeEntry">, now: RecordOf<"timeEntry">["body"]["startedAt"]): string {
  return showMinutes((msOfInstant(entry.body.endedAt ?? now) - msOfInstant(entry.body.startedAt)) / 60_000);
}
