/**
 * What failed, first and short: who reads a run from its beginning, or only its beginning, must find it there.
 *
 * The printed report of a test run says more than its JSON: expected and received, hooks that broke, errors nobody
 * caught. So this reads the print.
 */
import { stripVTControlCharacters } from "node:util";

const SHORT_CHARS_MAX = 1800;
const ONE_CHARS_MIN = 220;
const LINE_CHARS_MAX = 300;
const REST_CHARS_MAX = 20_000;
/** Where in a file something was thrown or called. */
const PLACE = /^\s*❯ /u;

/** What a failed step is about, in a few lines. */
export function shortFailures(output: string): string {
  const failures = failuresIn(stripVTControlCharacters(output));
  if (failures.length === 0) return headAndTail(withoutPassed(output), SHORT_CHARS_MAX);
  const shown = failures.slice(0, Math.floor(SHORT_CHARS_MAX / ONE_CHARS_MIN));
  const charsMax = Math.floor(SHORT_CHARS_MAX / shown.length);
  const more = failures.length - shown.length;
  return [...shown.map((failure) => cut(failure, charsMax)), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

/** All it printed, without the tests that passed; what is longer than anybody reads loses its middle. */
export function longFailures(output: string): string {
  return headAndTail(withoutPassed(output), REST_CHARS_MAX);
}

function withoutPassed(output: string): string {
  const lines = stripVTControlCharacters(output).split("\n");
  return lines
    .filter((line) => !/^\s*✓/u.test(line))
    .join("\n")
    .trim();
}

/** Vitest draws lines between failures, some with a title; what is before the first of them is the list of files. */
function failuresIn(output: string): readonly string[] {
  const [, ...parts] = output.split(/^⎯{3,}([^⎯]*)⎯*$/mu);
  return parts
    .flatMap((part, index) => (index % 2 === 0 ? [] : [withoutFrames(`${titleOf(parts[index - 1])}${part}`)]))
    .filter((part) => part !== "" && !part.startsWith("Vitest caught"));
}

/** Tests and files have their names below the line; what nobody caught has its name in it. */
function titleOf(line: string | undefined): string {
  return /^ (?:Uncaught|Unhandled (?!Errors))/u.test(line ?? "") ? `${line?.trim()}\n` : "";
}

/** Who failed, where in our code, the message, expected and received: neither the source nor the way to it. */
function withoutFrames(part: string): string {
  const lines = part.split("\n").filter((line) => line.trim() !== "" && !/^\s+\d*\|/u.test(line));
  const places = lines.filter((line) => PLACE.test(line));
  const ours = places.find((line) => !/node_modules|node:/u.test(line)) ?? places[0];
  const words = lines.filter((line) => !PLACE.test(line));
  const names = words.filter((line) => /^ FAIL |^Uncaught |^Unhandled /u.test(line));
  return [...names, ...(ours === undefined ? [] : [ours]), ...words.filter((line) => !names.includes(line))]
    .map((line) => cut(line.trimEnd(), LINE_CHARS_MAX))
    .join("\n")
    .trim();
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
}

function headAndTail(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const half = Math.floor(charsMax / 2);
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`;
}
