import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Handler } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import { journalFailure } from "../client/words.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { forTarget } from "../terminal/terminal.ts";
import { parseRows } from "../tasks/show.ts";

export const exportJournal: Handler<{ readonly to?: string }> = ({ options, terminal, outside, journal }) =>
  journal(async (client) => {
    // A new file only (`wx`), readable by the owner alone: an export is the whole journal in the clear.
    const target =
      options.to === undefined ? outside.stdout : createWriteStream(options.to, { flags: "wx", mode: 0o600 });
    const failed = new Promise<never>((_, reject) => {
      if (options.to !== undefined)
        target.once("error", (cause: Error) => reject(cannotWrite(options.to ?? "", cause)));
    });
    const lines = await Promise.race([writeLines(client.door.exportLines({ kind: "terminal" }), target), failed]);
    if (options.to === undefined) return;
    target.end();
    await Promise.race([once(target, "close"), failed]);
    terminal.note(`Wrote ${lines} lines to ${options.to}`);
  });

export const importJournal: Handler<{ readonly json?: boolean }> = ({
  args: [file = ""],
  options,
  terminal,
  outside,
  journal,
}) =>
  journal(async (client) => {
    const source: Readable = file === "-" ? outside.stdin : createReadStream(file);
    const failed = new Promise<never>((_, reject) =>
      source.once("error", (cause: Error) => reject(cannotRead(file, cause))),
    );
    const lines = createInterface({ input: source, crlfDelay: Infinity });
    const report = await Promise.race([client.door.importLines(lines, { kind: "terminal" }), failed]);
    if (!report.ok) throw journalFailure(report.error);
    const { added, replaced, unchanged, conflicts } = report.value;
    if (options.json) return terminal.json(report.value);
    terminal.line(`Added ${added}, replaced ${replaced}, unchanged ${unchanged}.`);
    if (conflicts.length > 0) terminal.note(`Kept as they were, because both sides changed: ${conflicts.join(" ")}`);
  });

export const listChanges: Handler<{ readonly after: string; readonly limit: string; readonly json?: boolean }> = (
  call,
) =>
  call.journal(async (client) => {
    const { options, terminal } = call;
    if (!/^\d{1,15}$/.test(options.after)) throw usage(`--after is a counter, not "${options.after}".`);
    const changes = await client.ask({
      kind: "changes",
      after: Number(options.after),
      limit: parseRows(options.limit),
    });
    if (options.json) return terminal.json({ changes });
    if (changes.length === 0) return terminal.note("No changes after that counter.");
    const columns = [
      { header: "COUNTER", align: "right" },
      { header: "WHEN", spare: 1 },
      { header: "WHAT" },
      { header: "ID", flexible: true },
    ] as const;
    const rows = changes.map((row) => [String(row.counter), showMoment(row.at), row.kind, row.payloadId]);
    printTable(terminal, { columns, rows });
  });

async function writeLines(lines: AsyncIterable<string>, target: NodeJS.WritableStream): Promise<number> {
  let count = 0;
  for await (const line of lines) {
    if (!target.write(`${forTarget(target, line)}\n`)) await once(target, "drain");
    count += 1;
  }
  return count;
}

const cannotWrite = (file: string, cause: Error): CommandFailure =>
  new CommandFailure({
    what: `"${file}" could not be written (${codeOf(cause)}).`,
    kept: "The journal is as it was.",
    next: codeOf(cause) === "EEXIST" ? "Name a file that does not exist yet." : "Name another file with --to.",
    cause,
  });

const cannotRead = (file: string, cause: Error): CommandFailure =>
  new CommandFailure({ what: `"${file}" could not be read (${codeOf(cause)}).`, kept: "Nothing was imported.", cause });

const codeOf = (cause: NodeJS.ErrnoException): string => cause.code ?? cause.message;
