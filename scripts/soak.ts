/**
 * `npm run soak`: the large numbers behind `npm test`, about ten minutes on two cores. Every case of the exhaustive tests, 100 seeds,
 * 200 kills of each kind and 100,000 damaged texts for each parser; `--seeds=N`, `--kills=N` and `--runs=N` change that.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { endOnSignals, runAndReport, vitestStep } from "./report.ts";
import type { Step } from "./steps.ts";
import { ensureSystemPackages } from "./system-packages.ts";
import { ROOT } from "./tools.ts";

/** A single test plays thousands of cases here. */
const EVERY_CASE_TIMEOUT_MS = 1_800_000;

type Amounts = { readonly seeds: number; readonly kills: number; readonly runs: number };

/** Null for arguments that are no whole numbers above zero. */
export function readAmounts(args: readonly string[]): Amounts | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seeds: { type: "string", default: "100" },
        kills: { type: "string", default: "200" },
        runs: { type: "string", default: "100000" },
      },
    });
    const amounts = { seeds: Number(values.seeds), kills: Number(values.kills), runs: Number(values.runs) };
    return Object.values(amounts).every((amount) => Number.isSafeInteger(amount) && amount > 0) ? amounts : null;
  } catch {
    return null;
  }
}

export function soakSteps(reportsDir: string, { seeds, kills, runs }: Amounts): readonly Step[] {
  const unit = vitestStep("unit", reportsDir);
  const command = [...unit.command, `--testTimeout=${EVERY_CASE_TIMEOUT_MS}`, ...exhaustiveFiles()];
  return [
    { ...unit, name: "every case", command, env: { TEST_DEPTH: "every" } },
    { name: `${kills} run kills`, command: ["sim/run.ts", `--run-kills=${kills}`] },
    { name: `${kills} write kills`, command: ["sim/run.ts", `--kills=${kills}`] },
    { name: `${seeds} seeds`, command: ["sim/run.ts", `--seeds=${seeds}`] },
    { name: `fuzz ${runs}`, command: ["sim/run.ts", "--fuzz=all", `--runs=${runs}`] },
  ];
}

/** The test files that ask `test/depth.ts` how deep they go. */
export function exhaustiveFiles(): readonly string[] {
  return globSync("{src,sim,test}/**/*.test.ts", { cwd: ROOT })
    .filter((path) => readFileSync(join(ROOT, path), "utf8").includes('test/depth.ts";'))
    .toSorted();
}

async function main(args: readonly string[]): Promise<number> {
  endOnSignals();
  const amounts = readAmounts(args);
  if (amounts === null) {
    console.error("Usage: npm run soak -- [--seeds=100] [--kills=200] [--runs=100000]");
    return 2;
  }
  const problem = ensureSystemPackages(["unit"]);
  if (problem !== null) {
    console.error(problem);
    return 1;
  }
  return runAndReport((reportsDir) => soakSteps(reportsDir, amounts));
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
