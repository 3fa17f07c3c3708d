/**
 * The programs that tests need and npm cannot bring: a browser, and what programs of plans run in.
 *
 * Installs them only where that is unattended and harmless (root on a system with apt); elsewhere it says what to run.
 * A test without its program would wait until its time limit ends, so vitest checks again before it starts any.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

type SystemPackage = {
  readonly aptName: string;
  readonly brewName: string | null;
  readonly commands: readonly string[];
  /** The projects of vitest that cannot run without it. */
  readonly projects: readonly string[];
};

const RUNS_SILAS = ["unit", "terminal", "browser"];

export const SYSTEM_PACKAGES: readonly SystemPackage[] = [
  {
    aptName: "chromium",
    brewName: "--cask chromium",
    commands: ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    projects: ["browser"],
  },
  { aptName: "bubblewrap", brewName: null, commands: ["bwrap"], projects: RUNS_SILAS },
  { aptName: "util-linux", brewName: null, commands: ["prlimit"], projects: RUNS_SILAS },
  { aptName: "podman", brewName: null, commands: ["podman"], projects: ["unit"] },
  { aptName: "runc", brewName: null, commands: ["runc"], projects: ["unit"] },
];
const PROJECTS = [...new Set(SYSTEM_PACKAGES.flatMap(({ projects }) => projects))];

export type Machine = {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  readonly hasCommand: (command: string) => boolean;
};

type InstallPlan =
  | { readonly kind: "nothing" }
  | { readonly kind: "apt"; readonly packages: readonly string[]; readonly names: string }
  | { readonly kind: "tell"; readonly sentence: string };

/** What these projects of vitest lack on this machine, and how to get it. */
export function planInstall(machine: Machine, projects: readonly string[] = PROJECTS): InstallPlan {
  const missing = SYSTEM_PACKAGES.filter(
    ({ brewName, commands, projects: users }) =>
      (machine.platform === "linux" || brewName !== null) &&
      projects.some((project) => users.includes(project)) &&
      !commands.some(machine.hasCommand),
  );
  if (missing.length === 0) return { kind: "nothing" };
  const aptNames = missing.map(({ aptName }) => aptName);
  const names = missing.map(nameOf).join(" and ");
  if (machine.platform === "linux" && machine.hasCommand("apt-get")) {
    if (machine.isRoot) return { kind: "apt", packages: aptNames, names };
    return tell(names, `sudo apt-get update && sudo apt-get install --yes ${aptNames.join(" ")}`);
  }
  if (machine.platform === "darwin") {
    return tell(names, missing.map(({ brewName }) => `brew install ${brewName}`).join(" && "));
  }
  return {
    kind: "tell",
    sentence: `The tests need ${names}; install them with your system's package manager and run this again.`,
  };
}

/** The package, and the program where it has another name. */
function nameOf({ aptName, commands }: SystemPackage): string {
  return commands.includes(aptName) ? aptName : `${aptName} (${commands[0]})`;
}

const needing = (names: string, command: string): string =>
  `The tests need ${names}; run \`${command}\` once, then run this again.`;

const tell = (names: string, command: string): InstallPlan => ({ kind: "tell", sentence: needing(names, command) });

function thisMachine(): Machine {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    hasCommand: (command) =>
      [...(process.env["PATH"] ?? "").split(delimiter), ...SYSTEM_DIRECTORIES].some((directory) =>
        canRun(join(directory, command)),
      ),
  };
}

/** Where podman finds runc; the PATH of a person who is not root leaves them out. */
const SYSTEM_DIRECTORIES = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

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

/** Makes the programs of these projects present; answers with a sentence when it could not. */
export function ensureSystemPackages(projects: readonly string[] = PROJECTS): string | null {
  const { platform, isRoot, hasCommand } = thisMachine();
  const canInstall = platform === "linux" && isRoot && hasCommand("apt-get");
  if (canInstall && projects.includes("browser") && !hasCommand(LEAN_BROWSER)) install([LEAN_BROWSER]);
  const plan = planInstall(thisMachine(), projects);
  if (plan.kind === "apt") install(plan.packages);
  return missingPrograms(projects);
}

/** One sentence that names the missing programs and how to install them, or null when everything is there. */
export function missingPrograms(projects: readonly string[], machine: Machine = thisMachine()): string | null {
  const plan = planInstall(machine, projects);
  if (plan.kind === "nothing") return null;
  if (plan.kind === "tell") return plan.sentence;
  return needing(plan.names, `apt-get update && apt-get install --yes ${plan.packages.join(" ")}`);
}

function install(packages: readonly string[]): void {
  console.log(`Installing ${packages.join(" and ")} with apt, for the tests.`);
  const startedMs = performance.now();
  // A machine whose package lists are recent needs no update; one that has never updated fails the first try.
  const isDone = aptGet(packages) || (aptGet(null) && aptGet(packages));
  if (isDone) console.log(`Installed in ${Math.round((performance.now() - startedMs) / 1000)} s.`);
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
