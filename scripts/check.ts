/**
 * `npm run check`, and with `--with=e2e` the whole of `npm test`.
 *
 * Prints one row per step, and below it in short what failed; all that failed steps printed comes last. Ends with the totals, alone on the last line: tests
 * are counted one by one, every other step counts as one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { ALLOW_LIST } from "./allow-list.ts";
import { longFailures, shortFailures } from "./failures.ts";
import { rowOf, runSteps, sumOf, type Step, type StepResult } from "./steps.ts";
import { ensureSystemPackages } from "./system-packages.ts";
import { toolCommand } from "./tools.ts";

function vitestStep(project: string, reportsDir: string): Step {
  const reportPath = join(reportsDir, `${project}.json`);
  const reporters = ["--no-color", "--reporter=default", "--reporter=json", `--outputFile.json=${reportPath}`];
  return { name: project, command: [toolCommand("vitest"), "run", `--project=${project}`, ...reporters], reportPath };
}

/** The longest first, so that the short ones fill the other core. */
function checkSteps(reportsDir: string): readonly Step[] {
  const tsc = toolCommand("typescript");
  return [
    vitestStep("unit", reportsDir),
    { name: "format", command: [toolCommand("oxfmt"), "--check", "."] },
    { name: "types core", command: [tsc, "--project", "tsconfig.core.json"] },
    { name: "types shell", command: [tsc, "--project", "tsconfig.shell.json"] },
    { name: "types web", command: [tsc, "--project", "tsconfig.web.json"] },
    { name: "lint", command: [toolCommand("oxlint"), "--deny-warnings"] },
    vitestStep("tidy", reportsDir),
  ];
}

/** A few of the hundred worlds that `npm run sim` plays. */
const SIM: Step = { name: "sim 20 seeds", command: ["sim/run.ts", "--seeds=20"] };

/** A Silas that runs approved plans, killed again and again; `npm run sim -- --run-kills=1000` goes on from there. */
const KILLS: Step = { name: "kill 100 times", command: ["sim/run.ts", "--run-kills=100"] };

/** A hundred thousand damaged texts for every reader; `npm run sim -- --fuzz=all --runs=1000000` goes on from there. */
const FUZZ_STEPS: readonly Step[] = ["config", "plan", "receipt", "audit", "body", "frame"].map((parser) => ({
  name: `fuzz ${parser}`,
  command: ["sim/run.ts", `--fuzz=${parser}`, "--runs=100000"],
}));

function onDone(result: StepResult): void {
  console.log(rowOf(result));
  if (result.failed > 0) console.log(`${shortFailures(result.output)}\n`);
}

/** Only now, because the long words of one step would bury the short ones of the next. */
function printAtLength(results: readonly StepResult[]): void {
  for (const { name, output } of results.filter(({ failed }) => failed > 0)) {
    console.log(`\n--- ${name} ---\n${longFailures(output)}`);
  }
}

/** Two that wait for processes and pages much of the time. */
function runEndToEnd(reportsDir: string): Promise<readonly StepResult[]> {
  const steps = ["browser", "terminal"].map((project) => vitestStep(project, reportsDir));
  return runSteps(steps, { atOnce: steps.length, onDone });
}

/**
 * What only counts takes what the others leave of the machine; next to an equal, honest waits would look like hangs.
 * Two of them wait for disks and processes; the third counts meanwhile.
 */
function runCounting(): Promise<readonly StepResult[]> {
  const steps = [KILLS, SIM, ...FUZZ_STEPS].map((step): Step => ({ ...step, priority: "low" }));
  return runSteps(steps, { atOnce: 3, onDone });
}

async function main(args: readonly string[]): Promise<number> {
  const withE2e = args.includes("--with=e2e");
  const problem = withE2e ? ensureSystemPackages() : null;
  if (problem !== null) {
    console.error(problem);
    return 1;
  }
  const startedMs = performance.now();
  const reportsDir = mkdtempSync(join(tmpdir(), "silas-check-"));
  const results: StepResult[] = [];
  try {
    const atOnce = Math.min(4, Math.max(2, availableParallelism()));
    const counting = withE2e ? runCounting() : null;
    const more: Step = withE2e ? { name: "web build", command: ["scripts/build-web.ts"] } : SIM;
    results.push(...(await runSteps([...checkSteps(reportsDir), more], { atOnce, onDone })));
    if (withE2e) results.push(...(await runEndToEnd(reportsDir)));
    results.push(...((await counting) ?? []));
  } finally {
    rmSync(reportsDir, { recursive: true, force: true });
  }
  printAtLength(results);
  const { passed, failed } = sumOf(results);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`\n${seconds} s; exceptions granted by the tidy allow-list: ${ALLOW_LIST.length}`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));
process.exitCode = await main(process.argv.slice(2));
