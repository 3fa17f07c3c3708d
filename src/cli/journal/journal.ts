import type { Define } from "../terminal/context.ts";
import { addNote, deleteNote, editNote, listNotes, showNote } from "./notes.ts";
import { exportJournal, importJournal, listChanges } from "./transfer.ts";

const JSON_READ = ["--json", "print JSON"] as const;
const JSON_WRITE = ["--json", "print what changed as JSON"] as const;

export const define: Define = (journal, act) => {
  journal
    .command("add <text...>")
    .description("Write a note.")
    .option("--when <moment>", "when it happened, 09:30 or yesterday 21:00", "now")
    .option("--category <name>", "category")
    .option("--task <task>", "the task it belongs to")
    .option(...JSON_WRITE)
    .action(act(addNote));
  journal
    .command("list")
    .description("Notes, time entries and concluded tasks, newest first.")
    .option("--from <day>", "first day", "-6")
    .option("--to <day>", "last day", "today")
    .option("--limit <rows>", "at most this many rows", "100")
    .option("--cursor <cursor>", "continue a longer list")
    .option(...JSON_READ)
    .action(act(listNotes));
  journal
    .command("show <note>")
    .description("Show one note.")
    .option(...JSON_READ)
    .action(act(showNote));
  journal
    .command("edit <note>")
    .description("Change a note.")
    .option("--text <text>", "the text")
    .option("--when <moment>", "when it happened")
    .option("--category <name>", "category, or none")
    .option("--task <task>", "the task it belongs to, or none")
    .option(...JSON_WRITE)
    .action(act(editNote));
  journal
    .command("delete <note>")
    .description("Delete a note (undo brings it back).")
    .option(...JSON_WRITE)
    .action(act(deleteNote));
  journal
    .command("export")
    .description("Print the whole journal as JSON lines.")
    .option("--to <file>", "write to a new file instead")
    .action(act(exportJournal));
  journal
    .command("import <file>")
    .description("Read JSON lines made by export; - reads standard input.")
    .option(...JSON_WRITE)
    .action(act(importJournal));
  journal
    .command("changes")
    .description("Change units in the order they were committed.")
    .option("--after <counter>", "only after this counter", "0")
    .option("--limit <rows>", "at most this many rows", "100")
    .option(...JSON_READ)
    .action(act(listChanges));
};
