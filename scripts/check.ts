/** `npm run check`, and with `--with=e2e` the whole of `npm test`. `npm run soak` plays the large numbers. */
import { ALLOW_LIST } from "./allow-list.ts";
import { endOnSignals, runAndReport, vitestStep } from "./report.ts";
import type { Step } from "./steps.ts";
import { ensureSystemPackages } from "./system-packages.ts";
import { promisesCommand, toolCommand } from "./tools.ts";

/** The longest first, so that the short ones fill the other core. */
export function checkSteps(reportsDir: string): readonly Step[] {
  const tsc = toolCommand("typescript");
  return [
    vitestStep("unit", reportsDir),
    { name: "types shell", command: [tsc, "--project", "tsconfig.shell.json"] },
    { name: "types core", command: [tsc, "--project", "tsconfig.core.json"] },
    { name: "types web", command: [tsc, "--project", "tsconfig.web.json"] },
    { name: "lint", command: [toolCommand("oxlint"), "--deny-warnings"] },
    { name: "promises", command: promisesCommand() },
    { name: "format", command: [toolCommand("oxfmt"), "--check", "."] },
    vitestStep("tidy", reportsDir),
    { name: "sim 5 seeds", command: ["sim/run.ts", "--seeds=5"] },
  ];
}

/** The end-to-end tests begin as early as they can: they take longest and leave the machine idle while they wait. */
export function testSteps(reportsDir: string): readonly Step[] {
  return [
    { name: "web build", command: ["scripts/build-web.ts"] },
    vitestStep("terminal", reportsDir),
    { ...vitestStep("browser", reportsDir), after: "web build" },
    ...checkSteps(reportsDir),
    { name: "kill 20 times", command: ["sim/run.ts", "--run-kills=20"] },
    { name: "fuzz", command: ["sim/run.ts", "--fuzz=all", "--runs=5000"] },
  ];
}

async function main(args: readonly string[]): Promise<number> {
  endOnSignals();
  const withE2e = args.includes("--with=e2e");
  const problem = ensureSystemPackages(withE2e ? undefined : ["unit"]);
  if (problem !== null) {
    console.error(problem);
    return 1;
  }
  const note = `; exceptions granted by the tidy allow-list: ${ALLOW_LIST.length}`;
  return runAndReport(withE2e ? testSteps : checkSteps, note);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
