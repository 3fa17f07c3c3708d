/**
 * `npm run mutate -- --seed=1 --count=60`: how many planted faults the tests notice.
 *
 * Works in copies of the project. A picked fault that the types refuse is replaced by the next one. The tests run once
 * with the chosen places marked and without any fault: that proves them green, and tells which test files reach a place
 * and how long each takes. Then one fault at a time is planted, and the files that reach it run, the quickest first,
 * until one turns red.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT, toolCommand } from "../tools.ts";
import { filesRefused, refusedByCheck } from "./refused.ts";
import { EXCLUDED } from "./excluded.ts";
import { markPlaces, mutantsOf, pickMutants, plant, type Mutant } from "./mutants.ts";
import { REACHED_FILE } from "./reached.ts";

/** How long the tests of one fault may take when nothing is wrong. */
const TESTS_MS_MAX = 60_000;
/** A run that takes this much longer than usual hangs, and a hang is noticed. Starting vitest is in it. */
const HANG_MS = 120_000;
const BASELINE_MS_MAX = 40 * 60_000;

type Sources = ReadonlyMap<string, string>;
type Ran = { readonly code: number | null; readonly output: string };
type Reach = { readonly test: string; readonly ms: number };
type Verdict = {
  readonly mutant: Mutant;
  readonly word: "red" | "hung" | "SURVIVED" | "UNREACHED";
  readonly tests: number;
};

const isProduct = (path: string): boolean =>
  /^src\/(?:core|engine|shell)\/.*\.ts$/.test(path) && !/\.(?:test|fixture)\.ts$/.test(path);

function trackedFiles(): readonly string[] {
  const listed = spawnSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26 });
  return listed.stdout.split("\0").filter((path) => path !== "" && existsSync(join(ROOT, path)));
}

function copyProject(files: readonly string[], directory: string): void {
  for (const path of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    cpSync(join(ROOT, path), join(directory, path));
  }
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
}

type Run = { readonly directory: string; readonly args: readonly string[]; readonly limitMs: number };

function runVitest({ directory, args, limitMs }: Run): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const config = "--config=scripts/mutate/vitest.config.ts";
  const command = [toolCommand("vitest"), "run", config, "--no-color", "--reporter=dot", ...args];
  const env = { ...process.env, [REACHED_FILE]: reachedFile(directory) };
  // A group of its own, so that the children of a hanging test end with it.
  const child = spawn(process.execPath, command, {
    cwd: directory,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const stop = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  };
  const timer = setTimeout(stop, limitMs);
  process.once("exit", stop);
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => pieces.push(piece));
  child.on("close", (code) => {
    clearTimeout(timer);
    process.off("exit", stop);
    resolve({ code, output: Buffer.concat(pieces).toString("utf8") });
  });
  return promise;
}

const reachedFile = (directory: string): string => join(directory, "reached.jsonl");

type Report = {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
};

/** Runs every test once with the places marked: the files that reach each place, the quickest first. */
async function findTests(
  mutants: readonly Mutant[],
  { directory, sources }: { readonly directory: string; readonly sources: Sources },
): Promise<readonly (readonly Reach[])[] | null> {
  for (const path of new Set(mutants.map((mutant) => mutant.path))) {
    const own = new Map([...mutants.entries()].filter(([, mutant]) => mutant.path === path));
    writeFileSync(join(directory, path), markPlaces(sources.get(path) ?? "", own));
  }
  const reportPath = join(directory, "report.json");
  const args = ["--reporter=json", `--outputFile.json=${reportPath}`];
  const { code, output } = await runVitest({ directory, args, limitMs: BASELINE_MS_MAX });
  if (code !== 0) console.error(output.slice(-6000));
  if (code !== 0) return null;
  const { testResults } = JSON.parse(readFileSync(reportPath, "utf8")) as Report;
  const durations = new Map(testResults.map(({ name, startTime, endTime }) => [name, endTime - startTime]));
  const lines = readFileSync(reachedFile(directory), "utf8").trimEnd().split("\n");
  const noted = lines.map((line) => JSON.parse(line) as { readonly test: string; readonly marks: readonly number[] });
  for (const { path } of mutants) writeFileSync(join(directory, path), sources.get(path) ?? "");
  return mutants.map((_, number) =>
    noted
      .filter(({ marks }) => marks.includes(number))
      .map(({ test }) => ({ test: test.slice(directory.length + 1), ms: durations.get(test) ?? 0 }))
      .toSorted((a, b) => a.ms - b.ms || (a.test < b.test ? -1 : 1)),
  );
}

/** As many of them as their usual time allows, and at least one. */
function chooseTests(reached: readonly Reach[]): readonly Reach[] {
  let spentMs = 0;
  return reached.filter(({ ms }, index) => {
    spentMs += ms;
    return index === 0 || spentMs <= TESTS_MS_MAX;
  });
}

type Trial = { readonly mutant: Mutant; readonly reached: readonly Reach[]; readonly source: string };

async function tryMutant(directory: string, { mutant, reached, source }: Trial): Promise<Verdict> {
  const tests = chooseTests(reached);
  if (tests.length === 0) return { mutant, word: "UNREACHED", tests: 0 };
  const usualMs = tests.reduce((sum, { ms }) => sum + ms, 0);
  writeFileSync(join(directory, mutant.path), plant(source, mutant));
  try {
    const args = ["--bail=1", "--max-workers=1", ...tests.map(({ test }) => test)];
    const { code } = await runVitest({ directory, args, limitMs: HANG_MS + 3 * usualMs });
    return { mutant, word: code === 0 ? "SURVIVED" : code === null ? "hung" : "red", tests: tests.length };
  } finally {
    writeFileSync(join(directory, mutant.path), source);
  }
}

function rowOf({ mutant, word, tests }: Verdict): string {
  const code = mutant.original.length > 70 ? `${mutant.original.slice(0, 69)}…` : mutant.original;
  return `${word.padEnd(9)} ${mutant.kind.padEnd(18)} ${mutant.path}:${mutant.line}  ${code}  (${tests} files)`;
}

async function tryAll(trials: readonly Trial[], directories: readonly string[]): Promise<readonly Verdict[]> {
  const waiting = [...trials];
  const verdicts: Verdict[] = [];
  const work = async (directory: string): Promise<void> => {
    for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift()) {
      const verdict = await tryMutant(directory, trial);
      verdicts.push(verdict);
      console.log(rowOf(verdict));
    }
  };
  await Promise.all(directories.map(work));
  return verdicts;
}

function reasonToExclude({ path, kind, original, equivalent }: Mutant): string | null {
  const entry = EXCLUDED.find((one) => one.path === path && one.kind === kind && one.original === original);
  return entry?.reason ?? equivalent;
}

type Wanted = { readonly seed: string; readonly count: number };

function readWanted(args: string[]): Wanted | null {
  const { values } = parseArgs({
    args,
    options: { seed: { type: "string", default: "1" }, count: { type: "string", default: "60" } },
  });
  const count = Number(values.count);
  return Number.isInteger(count) && count > 0 ? { seed: values.seed, count } : null;
}

type Picked = { readonly mutants: readonly Mutant[]; readonly refused: readonly Mutant[] };

/** How many faults are checked at once: of some kinds the types refuse nearly all. */
const AHEAD = 300;

/** Replaces each picked fault that the types refuse by the next one, until none is left. */
async function pickAccepted(
  all: readonly Mutant[],
  { wanted, directory, sources }: { readonly wanted: Wanted; readonly directory: string; readonly sources: Sources },
): Promise<Picked> {
  const checked = new Set<Mutant>();
  const refused = new Set<Mutant>();
  for (;;) {
    const accepted = all.filter((mutant) => !refused.has(mutant));
    const mutants = pickMutants(accepted, wanted);
    const kinds = new Set(mutants.filter((mutant) => !checked.has(mutant)).map(({ kind }) => kind));
    if (kinds.size === 0) return { mutants, refused: [...refused] };
    const unknown = accepted.filter((mutant) => kinds.has(mutant.kind) && !checked.has(mutant));
    const next = pickMutants(unknown, { ...wanted, count: AHEAD });
    for (const mutant of next) checked.add(mutant);
    for (const mutant of await refusedByCheck(next, { directory, sources })) refused.add(mutant);
  }
}

async function mutate(wanted: Wanted, parent: string): Promise<number> {
  const startedMs = performance.now();
  const files = trackedFiles();
  const sources: Sources = new Map(
    files.filter(isProduct).map((path) => [path, readFileSync(join(ROOT, path), "utf8")]),
  );
  const all = [...sources].flatMap(([path, source]) => mutantsOf(path, source));
  const excluded = all.filter((mutant) => reasonToExclude(mutant) !== null);
  const directories = Array.from({ length: availableParallelism() }, (_, index) => join(parent, String(index)));
  for (const directory of directories) copyProject(files, directory);
  const directory = directories[0] ?? parent;
  if ((await filesRefused(directory)).size > 0) {
    console.error("The types refuse the product without a fault.");
    return 1;
  }
  const possible = all.filter((mutant) => !excluded.includes(mutant));
  const { mutants, refused } = await pickAccepted(possible, { wanted, directory, sources });
  console.log(
    `${all.length} possible faults, ${mutants.length} picked by seed ${wanted.seed}, ${refused.length} skipped that the types refuse.`,
  );
  const reached = await findTests(mutants, { directory, sources });
  if (reached === null) {
    console.error("The tests fail without a fault, so they can say nothing about one.");
    return 1;
  }
  const trials = mutants.map((mutant, number) => ({
    mutant,
    reached: reached[number] ?? [],
    source: sources.get(mutant.path) ?? "",
  }));
  const verdicts = await tryAll(trials, directories);
  for (const mutant of refused)
    console.log(`refused   ${mutant.path}:${mutant.line}  ${mutant.original}  by the types`);
  for (const mutant of excluded)
    console.log(`excluded  ${mutant.path}:${mutant.line}  ${mutant.original}  ${reasonToExclude(mutant)}`);
  const noticed = verdicts.filter(({ word }) => word === "red" || word === "hung").length;
  const share = ((100 * noticed) / verdicts.length).toFixed(0);
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
  console.log(
    `\n${noticed} of ${verdicts.length} faults turned a test red (${share} %), ${excluded.length} excluded, ` +
      `${refused.length} refused by the types, ${minutes} minutes`,
  );
  return 0;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));
const wanted = readWanted(process.argv.slice(2));
if (wanted === null) console.error("--count takes a whole number from 1.");
const parent = mkdtempSync(join(tmpdir(), "silas-mutate-"));
process.once("exit", () => rmSync(parent, { recursive: true, force: true }));
process.exitCode = wanted === null ? 2 : await mutate(wanted, parent);
