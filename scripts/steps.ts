/** Runs the steps of a check, a few at a time, and keeps the output of each one until somebody needs to read it. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { ROOT } from "./tools.ts";

export type Step = {
  readonly name: string;
  /** Arguments after `node`. */
  readonly command: readonly string[];
  /** Where vitest leaves its JSON report, for the steps that are test runs. */
  readonly reportPath?: string;
  /** The name of the step that must succeed before this one begins. */
  readonly after?: string;
  /** Environment variables of this step alone. */
  readonly env?: Readonly<Record<string, string>>;
};

type Totals = { readonly passed: number; readonly failed: number };

export type StepResult = Totals & { readonly name: string; readonly seconds: number; readonly output: string };

type RunOptions = {
  readonly atOnce: number;
  readonly onDone: (result: StepResult) => void;
};

/** Runs every step once, in the order of the list as far as `after` and `atOnce` allow. */
export async function runSteps(steps: readonly Step[], options: RunOptions): Promise<readonly StepResult[]> {
  const waiting = [...steps];
  const results: StepResult[] = [];
  const running = new Set<Promise<void>>();
  const runOne = async (step: Step): Promise<void> => {
    const result = await runAfter(step, results);
    results.push(result);
    options.onDone(result);
  };
  while (waiting.length > 0 || running.size > 0) {
    const index = running.size < options.atOnce ? waiting.findIndex((step) => isReady(step, results)) : -1;
    const [step] = index === -1 ? [] : waiting.splice(index, 1);
    if (step !== undefined) {
      const run = runOne(step).finally(() => running.delete(run));
      running.add(run);
      continue;
    }
    if (running.size === 0) {
      const names = waiting.map(({ name, after }) => `"${name}" after "${after}"`).join(", ");
      throw new Error(`These steps can never begin: ${names}.`);
    }
    await Promise.race(running);
  }
  return results;
}

function isReady({ after }: Step, results: readonly StepResult[]): boolean {
  return after === undefined || results.some(({ name }) => name === after);
}

/** A step whose predecessor failed would only fail for the same reason again, so it does not run. */
async function runAfter(step: Step, results: readonly StepResult[]): Promise<StepResult> {
  const before = results.find(({ name }) => name === step.after);
  if (before === undefined || before.failed === 0) return runStep(step);
  return { name: step.name, seconds: 0, output: `Did not run, because "${before.name}" failed.`, passed: 0, failed: 1 };
}

function runStep(step: Step): Promise<StepResult> {
  const startedMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<StepResult>();
  const child = spawn(process.execPath, step.command, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...step.env },
  });
  const pieces: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  child.stderr.on("data", (piece: Buffer) => pieces.push(piece));
  const stop = (): boolean => child.kill("SIGTERM");
  process.once("exit", stop);
  child.on("close", (code) => {
    process.off("exit", stop);
    const seconds = (performance.now() - startedMs) / 1000;
    const totals = totalsOf(code === 0, step.reportPath);
    resolve({ name: step.name, seconds, output: Buffer.concat(pieces).toString("utf8"), ...totals });
  });
  return promise;
}

function totalsOf(succeeded: boolean, reportPath: string | undefined): Totals {
  if (reportPath === undefined) return succeeded ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  const totals = existsSync(reportPath) ? totalsOfReport(readFileSync(reportPath, "utf8")) : { passed: 0, failed: 1 };
  // A run may fail although each test passed (an unhandled error, a leak), or pass because it found nothing to run.
  const isHollow = totals.failed === 0 && (!succeeded || totals.passed === 0);
  return isHollow ? { ...totals, failed: 1 } : totals;
}

type Report = {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
};

/** Counts tests; a file that could not even be loaded counts as one failure. Anything but a pass is a failure. */
export function totalsOfReport(json: string): Totals {
  const report = JSON.parse(json) as Report;
  const statuses = report.testResults.flatMap((file) => {
    const ofTests = file.assertionResults.map(({ status }) => status);
    return file.status !== "passed" && ofTests.every((status) => status === "passed")
      ? [...ofTests, file.status]
      : ofTests;
  });
  const passed = statuses.filter((status) => status === "passed").length;
  return { passed, failed: statuses.length - passed };
}

export function rowOf(result: StepResult): string {
  const verdict = result.failed === 0 ? "ok  " : "FAIL";
  const tests = result.passed + result.failed > 1 ? `   ${result.passed} passed, ${result.failed} failed` : "";
  return `${verdict}  ${result.name.padEnd(16)} ${result.seconds.toFixed(1).padStart(6)} s${tests}`;
}

export function sumOf(results: readonly Totals[]): Totals {
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
  };
}
