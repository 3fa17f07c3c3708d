import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { Option } from "commander";
import { LIMITS, neutralise, oneLine } from "#base";
import {
  changeMemorySchema,
  keptRequestToWire,
  MEMORY_TYPES,
  memoryToWire,
  memoryTrustWords,
  rememberSchema,
  type MemoryItem,
} from "#model";
import { orFail } from "../approvals/open-approvals.ts";
import { safeJson } from "../plan/safe-json.ts";
import { askFirst } from "../terminal/ask.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { forTarget } from "../terminal/terminal.ts";
import { idIn, withMemory } from "./open-memory.ts";

type Json = { readonly json?: boolean };
type Listing = Json & { readonly limit: string };
type Adding = Json & {
  readonly type: string;
  readonly tag?: readonly string[];
  readonly foreign?: true;
  readonly message?: string;
};

const TERMINAL = { kind: "terminal" } as const;

export const define: Define = (memory, act) => {
  const json = ["--json", "print JSON"] as const;
  const limit = ["--limit <rows>", "at most this many", "50"] as const;
  const foreign = ["--foreign", "somebody else's words: kept as text from outside"] as const;
  memory
    .command("list")
    .description("What is remembered, newest first, and how far each is trusted.")
    .option(...limit)
    .option(...json)
    .action(act(listMemories));
  memory
    .command("search <words...>")
    .description("Memories that hold all of these words, best first.")
    .option(...limit)
    .option(...json)
    .action(act(searchMemories));
  memory
    .command("show <id>")
    .description("One memory whole, and where it came from.")
    .option(...json)
    .action(act(showMemory));
  memory
    .command("add [words...]")
    .description("Remember something. It is yours and not signed until you promote it.")
    .addOption(new Option("--type <type>", "what it is").choices([...MEMORY_TYPES]).default("fact"))
    .option("--tag <tag...>", "tags it is found by")
    .option(...foreign)
    .option("--message <id>", "remember the words of this message, trusted as it is")
    .option(...json)
    .action(act(addMemory));
  memory
    .command("change <id> <words...>")
    .description("Give a memory other words. What you signed was about the old ones.")
    .option(...foreign)
    .option(...json)
    .action(act(changeMemory));
  memory
    .command("promote <id>")
    .description("Ask for your signed decision that this is true and counts as yours.")
    .option(...json)
    .action(act(promoteMemory));
  memory
    .command("forget <id>")
    .description("Remove a memory for good; its words are gone.")
    .option("--yes", "do not ask")
    .option(...json)
    .action(act(forgetMemory));
  memory
    .command("export")
    .description("Print every memory as JSON lines.")
    .option("--to <file>", "write to a new file instead")
    .action(act(exportMemories));
};

const listMemories: Handler<Listing> = async (call) => {
  const limit = limitOf(call.options.limit);
  print(call, await withMemory(call, async (memory) => orFail(await memory.list({ before: null, limit }))));
};

const searchMemories: Handler<Listing> = async (call) => {
  const [text, limit] = [call.args.join(" "), limitOf(call.options.limit)];
  print(call, await withMemory(call, async (memory) => orFail(await memory.search({ text, limit, words: "all" }))));
};

function print({ options, terminal }: Call<Json>, items: readonly MemoryItem[]): void {
  if (options.json) return terminal.line(safeJson({ memories: items.map(memoryToWire) }));
  if (items.length === 0) return terminal.note("Nothing found. `silas memory add TEXT` remembers something.");
  const columns = [
    { header: "ID" },
    { header: "WHEN", spare: 2 },
    { header: "TYPE", spare: 1 },
    { header: "TRUST" },
    { header: "WORDS", flexible: true },
  ] as const;
  printTable(terminal, { columns, rows: items.map(rowOf) });
}

/** Ids made in the same hour begin alike, so their end is shown. */
const rowOf = (item: MemoryItem): readonly string[] => [
  item.memoryId.slice(-8),
  showMoment(item.updatedAt),
  item.memoryType,
  memoryTrustWords(item),
  item.content,
];

const showMemory: Handler<Json> = async (call) => {
  const item = await withMemory(call, async (memory) =>
    orFail(await memory.show(await idIn(memory, call.args[0] ?? ""))),
  );
  if (call.options.json) return call.terminal.line(safeJson(memoryToWire(item)));
  for (const line of neutralise(item.content).split(/\r?\n/)) call.terminal.line(line);
  call.terminal.note(`${item.memoryId}: ${item.memoryType}, ${memoryTrustWords(item)}`);
  call.terminal.note(`Kept ${showMoment(item.createdAt)}, as ${item.sourceKind}${sourceOf(item)}`);
};

const sourceOf = ({ sourceId }: MemoryItem): string => (sourceId === null ? "" : ` ${sourceId}`);

const addMemory: Handler<Adding> = async (call) => {
  const { type: memory_type, tag: semantic_tags = [], foreign, message } = call.options;
  const content = call.args.join(" ");
  if (message !== undefined && (content !== "" || foreign === true))
    throw usage("--message remembers the words of that message; give no others.");
  const about = { memory_type, semantic_tags };
  const words = { from: foreign === true ? "foreign" : "own", content };
  const parsed = rememberSchema.safeParse({
    ...(message === undefined ? words : { from: "message", message_id: message }),
    ...about,
  });
  if (!parsed.success) throw unusable(parsed.error.issues[0]);
  const item = await withMemory(call, async (memory) => orFail(await memory.remember(parsed.data, TERMINAL)));
  done(call, { item, did: "Remembered" });
};

const changeMemory: Handler<Adding> = async (call) => {
  const [typed = "", ...words] = call.args;
  const from = call.options.foreign === true ? "foreign" : "own";
  const parsed = changeMemorySchema.safeParse({ from, content: words.join(" ") });
  if (!parsed.success) throw unusable(parsed.error.issues[0]);
  const item = await withMemory(call, async (memory) =>
    orFail(await memory.change(await idIn(memory, typed), { ...parsed.data, actor: TERMINAL })),
  );
  done(call, { item, did: "Changed" });
};

type Done = { readonly item: MemoryItem; readonly did: string };

function done({ options, terminal }: Call<Json>, { item, did }: Done): void {
  if (options.json) return terminal.line(safeJson(memoryToWire(item)));
  terminal.line(`${did} ${item.memoryId}: ${memoryTrustWords(item)}.`);
}

const promoteMemory: Handler<Json> = async (call) => {
  const { options, terminal } = call;
  const { request, isNew } = await withMemory(call, async (memory) =>
    orFail(await memory.promote(await idIn(memory, call.args[0] ?? ""), TERMINAL)),
  );
  if (options.json) return terminal.line(safeJson({ is_new: isNew, request: keptRequestToWire(request) }));
  terminal.line(`${request.requestId}  ${oneLine(request.card.intent)}`);
  terminal.note(
    isNew
      ? `Waits for your decision. \`silas approve ${request.requestId}\` shows all of it; until then nothing changes.`
      : "This waits for your decision already.",
  );
};

const forgetMemory: Handler<Json & { readonly yes?: true }> = async (call) => {
  const { options, terminal } = call;
  const memoryId = await withMemory(call, (memory) => idIn(memory, call.args[0] ?? ""));
  if (options.yes !== true) {
    const question = `Forget ${memoryId.slice(-8)} for good?`;
    await askFirst(terminal, {
      because: "What is forgotten cannot be brought back",
      question,
      declined: "Not forgotten.",
    });
  }
  await withMemory(call, async (memory) => orFail(await memory.forget(memoryId, TERMINAL)));
  if (options.json) return terminal.line(safeJson({ forgotten: memoryId }));
  terminal.line(`Forgot ${oneLine(memoryId)}. What you signed about it, if you did, stays with that decision.`);
};

const exportMemories: Handler<{ readonly to?: string }> = async (call) => {
  const { to } = call.options;
  // A new file only (`wx`), readable by the owner alone: it is everything Silas remembers, in the clear.
  const target = to === undefined ? call.outside.stdout : createWriteStream(to, { flags: "wx", mode: 0o600 });
  const failed = new Promise<never>((_, reject) => {
    if (to !== undefined) target.once("error", (cause: Error) => reject(cannotWrite(to, cause)));
  });
  const write = withMemory(call, async (memory) => {
    let lines = 0;
    for await (const line of memory.exportLines({ since: null, actor: TERMINAL })) {
      if (!target.write(`${forTarget(target, line)}\n`)) await once(target, "drain");
      lines += 1;
    }
    return lines;
  });
  const lines = await Promise.race([write, failed]);
  if (to === undefined) return;
  target.end();
  await Promise.race([once(target, "close"), failed]);
  call.terminal.note(`Wrote ${lines} lines to ${to}`);
};

const cannotWrite = (file: string, cause: NodeJS.ErrnoException): CommandFailure =>
  new CommandFailure({
    what: `"${file}" could not be written (${cause.code ?? cause.message}).`,
    kept: "The memories are as they were.",
    next: cause.code === "EEXIST" ? "Name a file that does not exist yet." : "Name another file with --to.",
    cause,
  });

function limitOf(typed: string): number {
  const limit = Number(typed);
  if (/^[1-9]\d{0,2}$/.test(typed) && limit <= LIMITS.pageRows) return limit;
  throw usage(`--limit is a number from 1 to ${LIMITS.pageRows}, not "${typed}".`);
}

type Issue = { readonly path: readonly PropertyKey[]; readonly code?: string | undefined; readonly message: string };

/** The same check as at the border of the running Silas, before anything is opened. */
function unusable(issue: Issue | undefined): Error {
  const field = issue?.path.join(".") || "the memory";
  const reason = issue?.code === "custom" ? issue.message : (issue?.code ?? "invalid");
  return usage(`This cannot be remembered: ${field} is not valid (${reason}).`);
}
