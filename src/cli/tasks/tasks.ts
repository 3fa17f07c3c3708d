import { Option, type Command } from "commander";
import { TASK_VIEWS } from "#model";
import type { Act, Define, Handler } from "../terminal/context.ts";
import { addTask } from "./add.ts";
import {
  archiveTask,
  concludeTask,
  deleteTask,
  editTask,
  followUpTask,
  moveTask,
  reopenTask,
  unarchiveTask,
} from "./change.ts";
import { defineItems } from "./items.ts";
import { defineLabels } from "./labels.ts";
import { listTasks, showTask } from "./show.ts";

const JSON_READ = ["--json", "print JSON"] as const;
const JSON_WRITE = ["--json", "print what changed as JSON"] as const;

export const define: Define = (tasks, act) => {
  defineReads(tasks, act);
  tasks
    .command("add <text...>")
    .description('Capture a task: "call Ana tomorrow 9 #home !2 est 30m".')
    .option("--raw", "take the text literally as the title")
    .option("--notes <text>", "longer text")
    .option("--item <title...>", "checklist items")
    .option(...JSON_WRITE)
    .action(act(addTask));
  defineEdit(tasks, act);
  for (const { usage, description, handler } of PLAIN_VERBS) {
    tasks
      .command(usage)
      .description(description)
      .option(...JSON_WRITE)
      .action(act(handler));
  }
  defineMoves(tasks, act);
  defineItems(tasks.command("item").description("Checklist items of a task."), act);
  defineLabels(tasks.command("labels").description("The labels of tasks."), act);
};

type PlainVerb = {
  readonly usage: string;
  readonly description: string;
  readonly handler: Handler<{ readonly json?: boolean }>;
};

/** Verbs that take tasks and nothing else. */
const PLAIN_VERBS: readonly PlainVerb[] = [
  { usage: "done <task...>", description: "Conclude tasks as done.", handler: concludeTask("DONE") },
  { usage: "drop <task...>", description: "Conclude tasks as dropped.", handler: concludeTask("DROPPED") },
  { usage: "reopen <task>", description: "Open a concluded task again.", handler: reopenTask },
  { usage: "delete <task>", description: "Delete a task (undo brings it back).", handler: deleteTask },
  { usage: "archive <task>", description: "Put a task out of sight.", handler: archiveTask },
  { usage: "unarchive <task>", description: "Bring an archived task back.", handler: unarchiveTask },
];

function defineReads(tasks: Command, act: Act): void {
  tasks
    .command("list")
    .description("List tasks.")
    .addOption(new Option("--view <view>", "which tasks").choices(TASK_VIEWS).default("open"))
    .option("--category <name>", "only this category")
    .option("--label <name>", "only with this label")
    .option("--limit <rows>", "at most this many rows", "100")
    .option("--cursor <cursor>", "continue a longer list")
    .option(...JSON_READ)
    .action(act(listTasks));
  tasks
    .command("show <task>")
    .description("Show one task with everything on it.")
    .option(...JSON_READ)
    .action(act(showTask));
}

function defineEdit(tasks: Command, act: Act): void {
  tasks
    .command("edit <task>")
    .description("Change fields of a task; `none` empties a field.")
    .option("--title <text>", "title")
    .option("--notes <text>", "longer text")
    .addOption(new Option("--status <status>", "open or in-progress").choices(["open", "in-progress"]))
    .option("--priority <1-4>", "1 is the most urgent, or none")
    .option("--due <day>", "2026-11-15, today, tomorrow, +3, or none")
    .option("--at <time>", "time of the due day, 09:30, or none")
    .option("--estimate <duration>", "30m, 1h30m, or none")
    .option("--category <name>", "category, or none")
    .option("--label <name...>", "add labels")
    .option("--unlabel <name...>", "remove labels")
    .option("--repeat <rhythm>", "1d, 2w, 1m, 1y, or none")
    .addOption(
      new Option("--repeat-from <from>", "count from the due day or the day it was done").choices(["due", "done"]),
    )
    .option("--language <tag>", "BCP 47 tag such as en or de-AT, or none")
    .option(...JSON_WRITE)
    .action(act(editTask));
}

function defineMoves(tasks: Command, act: Act): void {
  tasks
    .command("move <task>")
    .description("Move a task in its list, or to another category.")
    .option("--after <task>", "right after this task")
    .option("--first", "to the top")
    .option("--category <name>", "to this category, or none")
    .option(...JSON_WRITE)
    .action(act(moveTask));
  tasks
    .command("follow-up <task> <title...>")
    .description("Make a follow-up task; shows what it will do first.")
    .option("--no-carry", "leave open checklist items where they are")
    .addOption(new Option("--close <as>", "conclude the first task as").choices(["done", "dropped"]))
    .option("--plain", "do not take over category and labels")
    .option("--preview", "only show what would change")
    .option(...JSON_WRITE)
    .action(act(followUpTask));
}
