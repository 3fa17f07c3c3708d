/**
 * Runs the steps of a command and prints them: one row per step, and below it in short what failed; the full output of
 * failed steps comes last. Ends with the totals, alone on the last line: tests are counted one by one, every other step
 * counts as one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { longFailures, shortFailures } from "./failures.ts";
import { rowOf, runSteps, sumOf, type Step, type StepResult } from "./steps.ts";
import { toolCommand } from "./tools.ts";

/** The end-to-end tests wait for processes and pages most of the time; what counts and compiles runs meanwhile. */
const AT_ONCE = 4;

/** Answers with the exit code. The steps may keep files in a directory that is removed at the end. */
export async function runAndReport(stepsIn: (reportsDir: string) => readonly Step[], note = ""): Promise<number> {
  const startedMs = performance.now();
  const reportsDir = mkdtempSync(join(tmpdir(), "silas-check-"));
  process.once("exit", () => rmSync(reportsDir, { recursive: true, force: true }));
  const results = await runSteps(stepsIn(reportsDir), { atOnce: AT_ONCE, onDone });
  printAtLength(results);
  const { passed, failed } = sumOf(results);
  console.log(`\n${Math.round((performance.now() - startedMs) / 1000)} s${note}`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Ends this process in order when it is told to stop: steps are stopped and their files removed. */
export function endOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));
}

/** A run of vitest whose tests are counted one by one. */
export function vitestStep(project: string, reportsDir: string): Step {
  const reportPath = join(reportsDir, `${project}.json`);
  const reporters = ["--no-color", "--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`];
  return {
    name: project,
    command: [toolCommand("vitest"), "run", `--project=${project}`, ...reporters],
    reportPath,
  };
}

function onDone(result: StepResult): void {
  console.log(rowOf(result));
  if (result.failed > 0) console.log(`${shortFailures(result.output)}\n`);
}

/** Only at the end, because the full output of one step would bury the short one of the next. */
function printAtLength(results: readonly StepResult[]): void {
  for (const { name, output } of results.filter(({ failed }) => failed > 0)) {
    console.log(`\n--- ${name} ---\n${longFailures(output)}`);
  }
}
