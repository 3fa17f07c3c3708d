import pc from "picocolors";
import { neutralise } from "#base";
import type { FailureWords } from "./failure.ts";

/** The outside of the process, given once by `main.ts`. */
export type Outside = {
  readonly version: string;
  readonly argv: readonly string[];
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
};

export type GlobalFlags = { readonly debug: boolean; readonly input: boolean; readonly color: boolean };
/** `auto` colours on a terminal only. */
export type Colour = "auto" | "always" | "never";

/** Data goes to stdout, everything said about it to stderr. */
export type Terminal = {
  readonly columns: number;
  /** True when a person sits there and may be asked. */
  readonly isInteractive: boolean;
  readonly paint: ReturnType<typeof pc.createColors>;
  line(text?: string): void;
  json(value: unknown): void;
  note(text: string): void;
  fail(words: FailureWords): void;
};

const COLUMNS_DEFAULT = 80;
const COLUMNS_MAX = 140;

export function createTerminal(outside: Outside, flags: GlobalFlags & { readonly colour: Colour }): Terminal {
  const { stdin, stdout, stderr } = outside;
  const colour = flags.color && (flags.colour === "always" || (flags.colour === "auto" && stdout.isTTY === true));
  const note = (text: string) => void stderr.write(`${text}\n`);
  return {
    columns: Math.min(stdout.isTTY ? stdout.columns || COLUMNS_DEFAULT : COLUMNS_DEFAULT, COLUMNS_MAX),
    isInteractive: flags.input && stdin.isTTY === true && stdout.isTTY === true,
    paint: pc.createColors(colour),
    line: (text = "") => void stdout.write(`${text}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value, null, 2)}\n`),
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

function debugText(cause: unknown): string {
  if (!(cause instanceof Error)) return `cause: ${JSON.stringify(cause)}`;
  const own = cause.stack ?? cause.message;
  return cause.cause === undefined ? own : `${own}\n${debugText(cause.cause)}`;
}
