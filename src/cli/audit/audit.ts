import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { LIMITS, oneLine } from "#base";
import { activitySentence, auditBreakWords, type AuditActor, type AuditVerdict } from "#model";
import { auditFileStart, endAuditFile, readAuditLine } from "#policy";
import { systemEd25519, systemSha256 } from "#runtime";
import { loadSetup } from "../client/setup.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT, usage, type ExitCode } from "../terminal/failure.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { forTarget, type Terminal } from "../terminal/terminal.ts";
import { acceptDatabase } from "./accept.ts";
import { auditFailure, headsWords, withAudit } from "./chain.ts";
import { keepFullCheck } from "./full-check.ts";
import { notChecked } from "./not-checked.ts";

type Json = { readonly json?: boolean };

export const define: Define = (audit, act) => {
  audit
    .command("verify")
    .description("Check that nothing in the audit log was changed, removed or inserted.")
    .option("--full", "from the first entry, not only what came after the last checkpoint")
    .option("--file <file>", "check an export instead, without a database")
    .option("--json", "print JSON")
    .action(act(verify));
  audit
    .command("accept")
    .description("Accept a database that may be older than the last one. Every unused approval becomes void.")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action(act(acceptDatabase));
  audit
    .command("tail")
    .description("The newest entries, newest last.")
    .option("-n, --lines <count>", "how many", "20")
    .option("--json", "print JSON")
    .action(act(tail));
  audit
    .command("export [file]")
    .description("Write the whole log as JSON lines that can be checked anywhere.")
    .action(act(exportLog));
};

const verify: Handler<Json & { readonly full?: true; readonly file?: string }> = async (call) => {
  const { options, terminal, environment } = call;
  if (options.file !== undefined) {
    const verdict = await verifyFile(resolve(environment.cwd, options.file));
    if (verdict.valid && verdict.headsSigned > 0 && !options.json) terminal.note(FILE_KEYS);
    return sayVerdict(call, verdict);
  }
  const verdict = await withAudit(environment, (audit) => audit.verify(options.full ? "genesis" : "latest"));
  if (!verdict.ok) throw auditFailure(verdict.error);
  if (verdict.value.valid && options.full) {
    const { stateDir } = loadSetup(environment).paths;
    keepFullCheck(stateDir, { at: call.here.now, ...verdict.value.head });
  }
  if (verdict.value.valid && verdict.value.headsChecked === 0 && options.full && !options.json) {
    terminal.note("No head is kept beside the database: entries cut off at the end would not be noticed.");
  }
  return sayVerdict(call, verdict.value);
};

const FILE_KEYS =
  "Signatures were checked with the public keys in the file, and those with nothing: hold them against `silas keys list`.";

type Say = { readonly options: Json; readonly terminal: Terminal };

function sayVerdict({ options, terminal }: Say, verdict: AuditVerdict): ExitCode {
  if (options.json) {
    terminal.json(wireVerdict(verdict));
  } else if (verdict.valid) {
    const { entriesChecked, head } = verdict;
    terminal.line(`The chain holds: ${entriesChecked} entries checked, the last is ${head.seq}`);
    terminal.line(`  head ${head.hash}`);
    terminal.line(`  ${headsWords(verdict)}`);
    terminal.line("Not checked:");
    for (const sentence of notChecked(verdict)) terminal.line(`  ${sentence}`);
  } else {
    terminal.line(`The chain is broken. ${auditBreakWords(verdict.broken)}`);
    terminal.note(`${verdict.entriesChecked} entries before that are as they were recorded.`);
  }
  return verdict.valid ? EXIT.ok : EXIT.failed;
}

function wireVerdict(verdict: AuditVerdict): object {
  const entries = { ok: verdict.valid, entries_checked: verdict.entriesChecked };
  if (verdict.valid) {
    const { head, headsChecked: heads_checked, headsSigned: heads_signed, lastSignedAt: last_signed_at } = verdict;
    return { ...entries, head, heads_checked, heads_signed, last_signed_at, not_checked: notChecked(verdict) };
  }
  return { ...entries, broken: verdict.broken, message: auditBreakWords(verdict.broken) };
}

/** Reads a file line by line; nothing but the file is needed. */
async function verifyFile(path: string): Promise<AuditVerdict> {
  let state = auditFileStart;
  const invalid = (broken: Extract<AuditVerdict, { valid: false }>["broken"]): AuditVerdict => ({
    valid: false,
    entriesChecked: state.head.seq,
    broken,
  });
  const source = createReadStream(path);
  const failed = new Promise<never>((_, reject) =>
    source.once("error", (cause: Error) => reject(cannotRead(path, cause))),
  );
  const lines = createInterface({ input: source, crlfDelay: Infinity })[Symbol.asyncIterator]();
  for (
    let next = await Promise.race([lines.next(), failed]);
    !next.done;
    next = await Promise.race([lines.next(), failed])
  ) {
    const read = readAuditLine(state, { text: next.value, hash: systemSha256, check: systemEd25519 });
    if (!read.ok) return invalid(read.error);
    state = read.value;
  }
  const end = endAuditFile(state);
  if (!end.ok) return invalid(end.error);
  const { headsChecked, headsSigned, lastSignedAt } = state;
  return { valid: true, entriesChecked: end.value.seq, head: end.value, headsChecked, headsSigned, lastSignedAt };
}

const tail: Handler<Json & { readonly lines: string }> = async ({ options, terminal, environment }) => {
  if (!/^\d{1,3}$/.test(options.lines) || Number(options.lines) > LIMITS.pageRows) {
    throw usage(`-n is a number up to ${LIMITS.pageRows}, not "${options.lines}".`);
  }
  const query = { beforeSeq: null, from: null, to: null, limit: Number(options.lines) };
  const found = await withAudit(environment, (audit) => audit.entries(query));
  if (!found.ok) throw auditFailure(found.error);
  const entries = found.value.toReversed();
  if (options.json) return terminal.json({ entries });
  printTable(terminal, {
    columns: [
      { header: "SEQ", align: "right" },
      { header: "WHEN" },
      { header: "WHO" },
      { header: "WHAT", flexible: true },
      { header: "HASH", spare: 1 },
    ],
    rows: entries.map((entry) => [
      String(entry.seq),
      showMoment(entry.at),
      whoOf(entry.actor),
      activitySentence(entry),
      entry.hash.slice(0, 12),
    ]),
  });
};

const whoOf = (actor: AuditActor): string =>
  actor.kind === "owner" ? `owner ${oneLine(actor.session_id).slice(-6)}` : actor.kind;

const exportLog: Handler<object> = async ({ args: [file], terminal, outside, environment }) => {
  // A new file only (`wx`), readable by the owner alone.
  const path = file === undefined ? null : resolve(environment.cwd, file);
  const target = path === null ? outside.stdout : createWriteStream(path, { flags: "wx", mode: 0o600 });
  const failed = new Promise<never>((_, reject) => {
    if (path !== null) target.once("error", (cause: Error) => reject(cannotWrite(path, cause)));
  });
  const lines = await withAudit(environment, (audit) =>
    Promise.race([writeLines(audit.exportLines(), target), failed]),
  );
  if (path === null) return;
  target.end();
  await Promise.race([once(target, "close"), failed]);
  terminal.note(`Wrote ${lines} lines to ${path}; \`silas audit verify --file\` checks them anywhere.`);
};

async function writeLines(lines: AsyncIterable<string>, target: NodeJS.WritableStream): Promise<number> {
  let count = 0;
  for await (const line of lines) {
    if (!target.write(`${forTarget(target, line)}\n`)) await once(target, "drain");
    count += 1;
  }
  return count;
}

const cannotWrite = (file: string, cause: NodeJS.ErrnoException): CommandFailure =>
  new CommandFailure({
    what: `"${file}" could not be written (${cause.code ?? cause.message}).`,
    kept: "The audit log is as it was.",
    next: cause.code === "EEXIST" ? "Name a file that does not exist yet." : "Name another file.",
    cause,
  });

const cannotRead = (file: string, cause: NodeJS.ErrnoException): CommandFailure =>
  new CommandFailure({ what: `"${file}" could not be read (${cause.code ?? cause.message}).`, cause });
