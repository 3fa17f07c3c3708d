import {
  CHECK_OUTPUT_CHARS,
  ERROR_CHARS,
  type CheckResult,
  type Expectation,
  type SandboxRun,
  type VerificationCheck,
  saysNothing,
} from "#model";
import { cut } from "../run/ledger.ts";
import { splitCommand } from "../command-line.ts";

/** Whether a pattern is found in a text, in linear time; null when that cannot be told. */
type FindPattern = (pattern: string, text: string) => boolean | null;

/** What is known of a check that was run. */
export type CheckRun = {
  readonly end: SandboxRun["end"];
  /** All that was kept of standard output, as text. */
  readonly stdout: string;
  readonly isTruncated: boolean;
  /** Whether the file of `file_exists` is there and inside; null when nobody looked. */
  readonly fileExists: boolean | null;
};
type Judging = { readonly check: VerificationCheck; readonly run: CheckRun; readonly findPattern: FindPattern };

/**
 * Whether a check passed, decided by what was seen and by nothing a program says about itself. The predicate sees all
 * the output that was kept; only what is shown of it is cut. [VER-09] to [VER-13]
 */
export function judgeOutput({ check, run, findPattern }: Judging): CheckResult {
  const failure = failureOf({ check, run, findPattern });
  return {
    name: check.name,
    passed: failure === null,
    reason: cut(failure ?? "Passed", ERROR_CHARS),
    output: cut(run.stdout, CHECK_OUTPUT_CHARS),
    exitCode: run.end.kind === "exit" ? run.end.code : null,
  };
}

/** The result of a check that could not be run; it has failed. [VER-07] */
export function checkNotRun({ name }: Pick<VerificationCheck, "name">, reason: string): CheckResult {
  return { name, passed: false, reason: cut(reason, ERROR_CHARS), output: "", exitCode: null };
}

/** Why it did not pass; null when it did. */
function failureOf({ check, run, findPattern }: Judging): string | null {
  const { end } = run;
  if (end.kind === "timeout") return `Timeout after ${check.timeout}s`;
  if (end.kind === "signal") return `Ended by ${end.signal}`;
  if (end.kind === "limit") return `Reached the limit of ${end.which}`;
  const set = (Object.keys(PREDICATES) as readonly Name[]).filter((name) => isSet(check.expect, name));
  const [name, ...more] = set;
  if (name === undefined) return "No expectation";
  if (more.length > 0) return "More than one expectation";
  return PREDICATES[name]({ ...run, code: end.code, expect: check.expect, findPattern });
}

type Name = keyof Expectation;
type Seen = CheckRun & { readonly code: number; readonly expect: Expectation; readonly findPattern: FindPattern };

const isSet = (expect: Expectation, name: Name): boolean => {
  const value: unknown = expect[name];
  return value !== null && value !== undefined && !(name === "notEmpty" && value === false);
};

const CUT = "The output was cut, so that nobody can tell";

const PREDICATES: { readonly [N in Name]: (seen: Seen) => string | null } = {
  exitCode: ({ code, expect }) => (code === expect.exitCode ? null : `Ended with code ${code}, not ${expect.exitCode}`),
  equals: ({ stdout, isTruncated, expect }) => {
    if (isTruncated) return CUT;
    return oneBreakLess(stdout) === oneBreakLess(expect.equals ?? "") ? null : "The output is another text";
  },
  // What was found in the beginning is also in the whole.
  contains: ({ stdout, isTruncated, expect }) => {
    if (stdout.includes(expect.contains ?? "")) return null;
    return isTruncated ? CUT : "The output does not contain the text";
  },
  // A pattern may end with the end of the text, and where it was cut is no end.
  regex: ({ stdout, isTruncated, expect, findPattern }) => {
    if (isTruncated) return CUT;
    const isFound = findPattern(expect.regex ?? "", stdout);
    if (isFound === null) return "The pattern could not be run on this output";
    return isFound ? null : "The output does not match";
  },
  outputLt: (seen) => failedNumber(seen, (output) => output < (seen.expect.outputLt ?? Number.NaN)),
  outputGt: (seen) => failedNumber(seen, (output) => output > (seen.expect.outputGt ?? Number.NaN)),
  fileExists: ({ fileExists }) => (fileExists === true ? null : "There is no such file"),
  notEmpty: ({ stdout }) => (stdout === "" ? "There is no output" : null),
};

function failedNumber({ stdout, isTruncated }: Seen, isWithin: (output: number) => boolean): string | null {
  if (isTruncated) return CUT;
  const text = stdout.trim();
  const output = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(output)) return "The output is not a number";
  return isWithin(output) ? null : `The output is ${output}`;
}
/** Written out: what else `Number` reads, such as the empty text and hexadecimal, is no number here. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

const oneBreakLess = (text: string): string => text.replace(/\r?\n$/, "");

/** Files of a workspace, or of a granted folder by their whole paths, that checks may rely on, each with the digest of its bytes. */
export type CheckFiles = ReadonlyMap<string, string>;

const NAMES_MOST = 20;
const TEST_FOLDERS = new Set(["test", "tests", "__tests__", "spec", "specs", "node_modules"]);
const TEST_FILE = /^test_|_test\.|\.test\.|\.spec\./;
/** Files that say what a test suite runs, and how. */
const STEERING =
  /^(?:package(?:-lock)?\.json|\.npmrc|makefile|conftest\.py|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|cargo\.toml|go\.mod|tsconfig.*\.json|\.mocharc.*|(?:jest|vitest|karma|playwright)\.config\..*)$/i;
const INTERPRETERS = new Set(["sh", "bash", "dash", "node", "python", "python3", "perl", "ruby", "deno", "bun"]);

/** Whether a check may rely on this file: a test, what steers tests, what they load, or the program of a check itself. */
export function mayDecideCheck(path: string, checks: readonly VerificationCheck[]): boolean {
  const names = path.split("/");
  const last = names.at(-1) ?? "";
  if (names.slice(0, -1).some((name) => TEST_FOLDERS.has(name))) return true;
  return TEST_FILE.test(last) || STEERING.test(last) || isCheckProgram(path, checks);
}

/** Whether a check runs this very file. */
export const isCheckProgram = (path: string, checks: readonly VerificationCheck[]): boolean =>
  checks.some(({ run }) => programOf(run) === path);

/** What was changed, added or removed among them, sorted; what is in `node_modules` is named as that. */
export function changedBetween(before: CheckFiles, after: CheckFiles): readonly string[] {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  const named = [...new Set(changed.map((path) => (path.split("/").includes("node_modules") ? "node_modules" : path)))];
  const sorted = named.toSorted();
  if (sorted.length <= NAMES_MOST) return sorted;
  return [...sorted.slice(0, NAMES_MOST), `${sorted.length - NAMES_MOST} more`];
}

/** The file a command runs, where it names one: of the workspace, or by its whole path. */
function programOf(command: string): string | null {
  const words = splitCommand(command);
  const [first, ...rest] = words.ok ? words.value : [];
  if (first === undefined) return null;
  const isInterpreter = INTERPRETERS.has(first.split("/").at(-1) ?? "");
  const program = isInterpreter ? rest.find((word) => !word.startsWith("-")) : first.includes("/") ? first : undefined;
  return program === undefined ? null : program.replace(/^\.\//, "");
}

/** Whether checks that all passed show anything: one at least must be able to come out another way. [INV-03] */
export const proves = (checks: readonly VerificationCheck[]): boolean =>
  checks.some(({ run, expect: { contains, regex, fileExists } }) => {
    const words = splitCommand(run);
    const expect = { contains, regex, file_exists: fileExists };
    return !words.ok || !saysNothing({ argv: words.value, expect });
  });
