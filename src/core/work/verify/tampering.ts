import type { VerificationCheck } from "#model";
import { splitCommand } from "../command-line.ts";

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
