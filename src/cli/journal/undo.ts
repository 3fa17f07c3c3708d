import { msOfInstant, oneLine, type Instant } from "#base";
import { nameOfCommand, type JournalRecord, type OperationRow } from "#model";
import { askFirst } from "../terminal/ask.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import { resolveAmong, shortId } from "./ids.ts";
import type { JournalClient } from "../client/journal-client.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";

type Options = {
  readonly list?: true;
  readonly preview?: true;
  readonly propose?: true;
  readonly yes?: true;
  readonly json?: boolean;
};

export const define: Define = (undo, act) => {
  undo
    .argument("[operation]", "an operation of `silas undo --list`, or the run of a batch; else the last operation")
    .option("--list", "show the last operations")
    .option("--propose", "for a batch whose time is over: propose the way back")
    .option("--preview", "only show what would be put back")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action(act(undoOperation));
};

const OPERATIONS_ROWS = 50;

const undoOperation: Handler<Options> = async (call) => {
  const [fragment] = call.args;
  // Batches of files are kept elsewhere, and their ids are of another kind.
  const code = fragment === undefined ? null : await (await import("../batches/undo-run.ts")).undoRun(call, fragment);
  return code === null ? undoInJournal(call) : code;
};

const undoInJournal: Handler<Options> = ({ args: [fragment], options, terminal, here, journal }) =>
  journal(async (client) => {
    const operations = await client.ask({ kind: "operations", limit: OPERATIONS_ROWS });
    if (options.list) return options.json ? terminal.json({ operations }) : printOperations(operations, terminal);
    const operation = await choose(client, operations, fragment);
    const command = { kind: "undo", operationId: operation.operationId } as const;
    const preview = await client.submit(command, "preview");
    if (options.preview && options.json) return terminal.json({ preview: true, operation, ...preview });
    terminal.note(`${options.preview ? "Would take back" : "Taking back"}: ${describe(operation)}`);
    for (const record of preview.records) terminal.note(`  ${putBack(record)}`);
    if (options.preview) return;
    if (!options.yes && removesOld(preview.records, { at: operation.at, now: here.now })) {
      await askFirst(terminal, {
        because: "This removes something older than a minute",
        question: "This removes something older than a minute. Remove it?",
        declined: "Not taken back.",
      });
    }
    const outcome = await client.submit(command);
    if (options.json) return terminal.json(outcome);
    terminal.line(`Undone. To have it again: silas undo ${shortId(outcome.operationId)}`);
  });

/** An immediate undo means the last change; later, a person may not remember which change that was. */
const ASKS_AFTER_MS = 60_000;

function removesOld(
  records: readonly JournalRecord[],
  { at, now }: { readonly at: Instant; readonly now: Instant },
): boolean {
  const ageMs = msOfInstant(now) - msOfInstant(at);
  return records.some(({ deletedAt }) => deletedAt !== null) && Math.abs(ageMs) > ASKS_AFTER_MS;
}

async function choose(
  client: JournalClient,
  operations: readonly OperationRow[],
  fragment: string | undefined,
): Promise<OperationRow> {
  if (fragment === undefined) {
    // The last thing that still stands and is not itself an undo, so that undoing twice goes further back.
    const last = operations.find(({ undoneBy, commandKind }) => undoneBy === null && commandKind !== "undo");
    if (last === undefined) throw new CommandFailure({ what: "There is nothing to undo." });
    return last;
  }
  // Operations and records share the way of being named; only the brand differs.
  const candidates = operations.map((row) => ({
    id: row.operationId as string as JournalRecord["id"],
    title: describe(row),
  }));
  const id = await resolveAmong(fragment, { noun: "operation", list: "silas undo --list", candidates });
  const known = operations.find(({ operationId }) => String(operationId) === String(id));
  const operation = known ?? (await client.ask({ kind: "operation", id }));
  if (operation === null)
    throw usage(`There is no operation "${fragment}".`, "`silas undo --list` shows the last ones.");
  return operation;
}

function printOperations(
  operations: readonly OperationRow[],
  terminal: { readonly columns: number; line(text: string): void; note(text: string): void },
): void {
  if (operations.length === 0) return terminal.note("Nothing was done yet.");
  const columns = [
    { header: "ID" },
    { header: "WHEN", spare: 1 },
    { header: "WHAT" },
    { header: "ON", flexible: true },
    { header: "STATE", spare: 2 },
  ] as const;
  const rows = operations.map((row) => [
    shortId(row.operationId),
    showMoment(row.at),
    nameOf(row),
    row.title,
    row.undoneBy === null ? "" : "undone",
  ]);
  printTable(terminal, { columns, rows });
}

const nameOf = (row: OperationRow): string => nameOfCommand({ kind: row.commandKind });
const describe = (row: OperationRow): string =>
  oneLine(`${nameOf(row)}${row.title === "" ? "" : `: ${row.title}`} (${showMoment(row.at)})`);

function putBack(record: JournalRecord): string {
  const { body, kind, id, deletedAt } = record;
  const title = "title" in body ? body.title : "name" in body ? body.name : "text" in body ? body.text : "";
  return oneLine(`${deletedAt === null ? "puts back" : "removes"} ${kind} ${shortId(id)} ${title}`.trimEnd()).slice(
    0,
    120,
  );
}
