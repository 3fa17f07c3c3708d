import { oneLine } from "#base";
import type { JournalOutcome } from "#model";
import type { Call, Handler } from "../terminal/context.ts";
import { usage } from "../terminal/failure.ts";
import { shortId } from "../journal/ids.ts";
import type { CommandInput, JournalClient } from "../client/journal-client.ts";
import { parseTaskFields, type EditOptions } from "./fields.ts";
import { changed, printOutcome, resolveCategoryOrNone, resolveTask } from "../journal/records.ts";

type Json = { readonly json?: boolean };

export const editTask: Handler<EditOptions & Json> = (call) =>
  call.journal(async (client) => {
    const id = await resolveTask(client, call.args[0] ?? "");
    const set = await parseTaskFields({ client, id, options: call.options, here: call.here });
    if (Object.keys(set).length === 0)
      throw usage("Nothing to change was given.", "`silas tasks edit --help` lists the fields.");
    const outcome = await client.submit({ kind: "task.update", id, set });
    say(call, outcome, "Changed");
  });

export const concludeTask =
  (as: "DONE" | "DROPPED"): Handler<Json> =>
  (call) =>
    call.journal(async (client) => {
      const { today } = call.here;
      // All are found before any is changed, so that a typing error in the second does not leave the first concluded.
      const ids = [];
      for (const fragment of call.args) ids.push(await resolveTask(client, fragment));
      for (const id of ids) {
        const outcome = await client.submit({ kind: "task.conclude", id, as, today });
        say(call, outcome, as === "DONE" ? "Done" : "Dropped");
        if (!call.options.json) sayNext(call, outcome);
      }
    });

export const reopenTask = oneTask((id) => ({ kind: "task.reopen", id }), "Open again");
export const deleteTask = oneTask((id) => ({ kind: "task.delete", id }), "Deleted");
export const archiveTask = oneTask((id) => ({ kind: "task.archive", id }), "Archived");
export const unarchiveTask = oneTask((id) => ({ kind: "task.unarchive", id }), "Back from the archive");

type MoveOptions = Json & { readonly after?: string; readonly first?: true; readonly category?: string };

export const moveTask: Handler<MoveOptions> = (call) =>
  call.journal(async (client) => {
    const { after, first, category } = call.options;
    const given = [after, first, category].filter((option) => option !== undefined).length;
    if (given !== 1) throw usage("Say where to: exactly one of --after TASK, --first or --category NAME.");
    const id = await resolveTask(client, call.args[0] ?? "");
    const outcome = await client.submit(
      category !== undefined
        ? {
            kind: "task.update",
            id,
            set: { categoryId: await resolveCategoryOrNone(client, category) },
          }
        : {
            kind: "task.move",
            id,
            after: after === undefined ? null : await resolveTask(client, after),
          },
    );
    say(call, outcome, "Moved");
  });

type FollowUpOptions = Json & {
  readonly carry: boolean;
  readonly close?: "done" | "dropped";
  readonly plain?: true;
  readonly preview?: true;
};

export const followUpTask: Handler<FollowUpOptions> = (call) =>
  call.journal(async (client) => {
    const { options, terminal, here } = call;
    const [fragment = "", ...words] = call.args;
    const command: CommandInput = {
      kind: "task.followUp",
      sourceTaskId: await resolveTask(client, fragment),
      newTaskTitle: words.join(" "),
      carryOverOpenChecklistItems: options.carry,
      closeSourceTaskAs: options.close === undefined ? null : options.close === "done" ? "DONE" : "DROPPED",
      preserveCategoryAndLabels: options.plain !== true,
      today: here.today,
    };
    const preview = await client.submit(command, "preview");
    if (options.preview && options.json) return terminal.json({ preview: true, ...preview });
    if (!options.json) for (const line of describeFollowUp(preview, command)) terminal.note(line);
    if (options.preview) return;
    const outcome = await client.submit(command);
    say(call, outcome, "Follow-up");
  });

function describeFollowUp(preview: JournalOutcome, command: CommandInput & { kind: "task.followUp" }): string[] {
  const items = preview.records.filter((record) => record.kind === "checklistItem" && record.deletedAt === null);
  const closing =
    command.closeSourceTaskAs === null ? "stays open" : `becomes ${command.closeSourceTaskAs.toLowerCase()}`;
  const carried = command.carryOverOpenChecklistItems
    ? `, ${items.length} open ${items.length === 1 ? "item" : "items"} carried over`
    : "";
  return [`New task "${oneLine(command.newTaskTitle)}"${carried}; the first task ${closing}.`];
}

function oneTask(command: (id: string) => CommandInput, word: string): Handler<Json> {
  return (call) =>
    call.journal(async (client: JournalClient) => {
      const id = await resolveTask(client, call.args[0] ?? "");
      say(call, await client.submit(command(id)), word);
    });
}

function say(call: Call<Json>, outcome: JournalOutcome, word: string): void {
  const task = changed(outcome, "task");
  const sentence = task === undefined ? "Nothing changed." : `${word}: ${shortId(task.id)} ${oneLine(task.body.title)}`;
  printOutcome(call.terminal, {
    outcome,
    json: call.options.json,
    sentence,
  });
}

/** A repeating task that was concluded makes its next one in the same operation; its date is worth a line. */
function sayNext({ terminal }: Call<Json>, outcome: JournalOutcome): void {
  for (const record of outcome.records) {
    if (record.kind !== "task" || record.id === outcome.subjectId) continue;
    terminal.line(`Next: ${shortId(record.id)} ${oneLine(record.body.title)} ${record.body.dueDate ?? ""}`.trimEnd());
  }
}
