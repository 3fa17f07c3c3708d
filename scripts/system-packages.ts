/**
 * The programs that tests need and npm cannot bring: a browser, and what programs of plans run in.
 *
 * Installs them only where that is unattended and harmless (root on a system with apt); elsewhere it says what to run.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export type SystemPackage = {
  readonly aptName: string;
  readonly brewName: string | null;
  readonly commands: readonly string[];
};

export const SYSTEM_PACKAGES: readonly SystemPackage[] = [
  {
    aptName: "chromium",
    brewName: "--cask chromium",
    commands: ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
  },
  { aptName: "bubblewrap", brewName: null, commands: ["bwrap"] },
  { aptName: "podman", brewName: null, commands: ["podman"] },
  { aptName: "runc", brewName: null, commands: ["runc"] },
];

export type Machine = {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly hasCommand: (command: string) => boolean;
};

export type InstallPlan =
  | { readonly kind: "nothing" }
  | { readonly kind: "apt"; readonly packages: readonly string[] }
  | { readonly kind: "tell"; readonly sentence: string };

export function planInstall(machine: Machine): InstallPlan {
  const wanted = SYSTEM_PACKAGES.filter(({ brewName }) => machine.platform === "linux" || brewName !== null);
  const missing = wanted.filter(({ commands }) => !commands.some(machine.hasCommand));
  if (missing.length === 0) return { kind: "nothing" };
  const aptNames = missing.map(({ aptName }) => aptName);
  if (machine.platform === "linux" && machine.hasCommand("apt-get")) {
    if (machine.isRoot) return { kind: "apt", packages: aptNames };
    return tell(aptNames, `sudo apt-get update && sudo apt-get install --yes ${aptNames.join(" ")}`);
  }
  if (machine.platform === "darwin") {
    return tell(aptNames, missing.map(({ brewName }) => `brew install ${brewName}`).join(" && "));
  }
  return {
    kind: "tell",
    sentence: `The tests need ${aptNames.join(" and ")}; install with your system's package manager and run this again.`,
  };
}

function tell(names: readonly string[], command: string): InstallPlan {
  return {
    kind: "tell",
    sentence: `The tests need ${names.join(" and ")}; run \`${command}\` once, then run this again.`,
  };
}

export function thisMachine(): Machine {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    hasCommand: (command) =>
      (process.env["PATH"] ?? "").split(delimiter).some((directory) => canRun(join(directory, command))),
  };
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The same browser without a window, a sixth cheaper to run; where there is none to install, the whole one serves. */
const LEAN_BROWSER = "chromium-headless-shell";

/** Makes the programs present; answers with a sentence when it could not. */
export function ensureSystemPackages(): string | null {
  const { platform, isRoot, hasCommand } = thisMachine();
  if (platform === "linux" && isRoot && hasCommand("apt-get") && !hasCommand(LEAN_BROWSER)) install([LEAN_BROWSER]);
  const plan = planInstall(thisMachine());
  if (plan.kind === "nothing") return null;
  if (plan.kind === "tell") return plan.sentence;
  if (!install(plan.packages) || planInstall(thisMachine()).kind !== "nothing") {
    return `apt-get could not install ${plan.packages.join(" and ")}; try \`apt-get update && apt-get install --yes ${plan.packages.join(" ")}\` and read what it says.`;
  }
  return null;
}

function install(packages: readonly string[]): boolean {
  console.log(`Installing ${packages.join(" and ")} with apt, for the tests.`);
  const startedMs = performance.now();
  // A machine whose package lists are recent needs no update; one that has never updated fails the first try.
  const isDone = aptGet(packages) || (aptGet(null) && aptGet(packages));
  if (isDone) console.log(`Installed in ${Math.round((performance.now() - startedMs) / 1000)} s.`);
  return isDone;
}

/** `apt-get install` of the packages, or `apt-get update` for null. */
function aptGet(packages: readonly string[] | null): boolean {
  const args = packages === null ? ["update"] : ["install", "--yes", "--no-install-recommends", ...packages];
  const run = spawnSync("apt-get", ["--quiet=2", "--option=DPkg::Lock::Timeout=300", ...args], {
    stdio: ["ignore", "ignore", "ignore"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return run.status === 0;
}
