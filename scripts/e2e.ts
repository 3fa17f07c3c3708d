/** `npm run e2e`: a fresh page, then the end-to-end tests in a real browser. Arguments go to vitest. */
import { spawnSync } from "node:child_process";
import { buildWeb } from "./build-web.ts";
import { ensureSystemPackages } from "./system-packages.ts";
import { ROOT, toolCommand } from "./tools.ts";

function main(args: readonly string[]): number {
  const problem = ensureSystemPackages(["terminal", "browser"]);
  if (problem !== null) {
    console.error(problem);
    return 1;
  }
  const build = buildWeb(ROOT);
  if (build.state === "failed") {
    console.error(build.output);
    return 1;
  }
  const run = spawnSync(
    process.execPath,
    [toolCommand("vitest"), "run", "--project=terminal", "--project=browser", ...args],
    {
      cwd: ROOT,
      stdio: "inherit",
    },
  );
  return run.status ?? 1;
}

process.exitCode = main(process.argv.slice(2));
