import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { oneLine } from "#base";
import { findLogLines } from "#stores";
import type { Define, Handler } from "../terminal/context.ts";
import { EXIT, usage } from "../terminal/failure.ts";
import { loadSetup } from "../client/setup.ts";

type Options = { readonly id?: string; readonly tail: string; readonly json?: boolean };

export const define: Define = (logs, act) => {
  logs
    .option("--id <id>", "only lines with this id, such as the one an error message gave")
    .option("--tail <lines>", "the last lines", "50")
    .option("--json", "print JSON")
    .action(act(showLogs));
};

const showLogs: Handler<Options> = async ({ options, terminal, environment }) => {
  const { stateDir } = loadSetup(environment).paths;
  if (!/^\d{1,5}$/.test(options.tail)) throw usage(`--tail is a number of lines, not "${options.tail}".`);
  const count = Number(options.tail);
  const found =
    options.id === undefined
      ? await lastLines(join(stateDir, "logs", "silas.log"), count)
      : await findLogLines({ stateDir, id: options.id });
  const lines = found.slice(-count);
  if (options.json) {
    terminal.json({ lines: lines.flatMap((line) => parse(line) ?? []) });
  } else if (lines.length === 0) {
    terminal.note(
      options.id === undefined ? "The log is empty." : `No line of the log has the id ${oneLine(options.id)}.`,
    );
  } else {
    for (const line of lines) terminal.line(describeLine(line));
  }
  return options.id !== undefined && lines.length === 0 ? EXIT.failed : EXIT.ok;
};

/** The end of a file, never more in memory than was asked for. */
async function lastLines(path: string, count: number): Promise<string[]> {
  if (!existsSync(path) || count === 0) return [];
  const kept: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    kept.push(line);
    if (kept.length > count) kept.shift();
  }
  return kept;
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === "object" ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

function describeLine(line: string): string {
  const parsed = parse(line);
  if (parsed === null) return oneLine(line);
  const { at, level, event, ...fields } = parsed;
  const rest = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return oneLine([String(at), String(level).padEnd(5), String(event), ...rest].join(" "));
}
