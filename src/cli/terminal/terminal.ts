import type { Readable, Writable } from "node:stream";
import pc from "picocolors";
import { neutralise, visibleJson } from "#base";
import type { FailureWords } from "./failure.ts";

/** The outside of the process, given once by `main.ts`. */
export type Outside = {
  readonly version: string;
  readonly argv: readonly string[];
  /** Only a terminal knows raw mode, in which each key arrives by itself. */
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable;
};

export type GlobalFlags = { readonly debug: boolean; readonly input: boolean; readonly color: boolean };
/** `auto` colours on a terminal only. */
type Colour = "auto" | "always" | "never";

/** Data goes to stdout, everything said about it to stderr. */
export type Terminal = {
  readonly columns: number;
  /** True when a person sits there and may be asked. */
  readonly isInteractive: boolean;
  /** True when what is printed appears on a screen as it comes. */
  readonly isScreen: boolean;
  readonly paint: ReturnType<typeof pc.createColors>;
  /** A part of a line. */
  write(text: string): void;
  line(text?: string): void;
  json(value: unknown): void;
  note(text: string): void;
  fail(words: FailureWords): void;
  /** The person at the terminal ended a prompt without answering. */
  declined(): void;
  hasDeclined(): boolean;
};

const COLUMNS_DEFAULT = 80;
const COLUMNS_MAX = 140;

export function createTerminal(outside: Outside, flags: GlobalFlags & { readonly colour: Colour }): Terminal {
  const { stdin, stdout, stderr } = outside;
  const colour = flags.color && (flags.colour === "always" || (flags.colour === "auto" && stdout.isTTY === true));
  const note = (text: string) => void stderr.write(`${text}\n`);
  let hasDeclined = false;
  return {
    declined: () => void (hasDeclined = true),
    hasDeclined: () => hasDeclined,
    columns: Math.min(stdout.isTTY ? stdout.columns || COLUMNS_DEFAULT : COLUMNS_DEFAULT, COLUMNS_MAX),
    isInteractive: flags.input && stdin.isTTY === true && stdout.isTTY === true,
    isScreen: stdout.isTTY === true,
    paint: pc.createColors(colour),
    write: (text) => void stdout.write(text),
    line: (text = "") => void stdout.write(`${text}\n`),
    // Values hold what programs printed and others wrote, which JSON leaves as it is beyond ASCII. [T24]
    json: (value) => void stdout.write(`${visibleJson(JSON.stringify(value, null, 2))}\n`),
    note,
    fail: (words) => {
      // Sentences may quote names from files and arguments, so they are made safe here, in the one place that prints them.
      note(neutralise(words.what));
      if (words.kept !== undefined) note(neutralise(words.kept));
      if (words.next !== undefined) note(neutralise(words.next));
      if (flags.debug && words.cause !== undefined) note(neutralise(debugText(words.cause)));
    },
  };
}

/** A document as it is for a file or another program; on a screen, whose escape codes others may write, made visible. */
export const forTarget = (target: NodeJS.WritableStream & { readonly isTTY?: boolean }, json: string): string =>
  target.isTTY === true ? visibleJson(json) : json;

function debugText(cause: unknown): string {
  if (!(cause instanceof Error)) return `cause: ${JSON.stringify(cause)}`;
  const own = cause.stack ?? cause.message;
  return cause.cause === undefined ? own : `${own}\n${debugText(cause.cause)}`;
}
