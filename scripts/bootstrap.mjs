/**
 * The first thing every `npm start`, `npm test` and `npm run ...` executes.
 *
 * It runs on plain Node 20 with nothing installed: brings node_modules in line with the lockfile when it is not, finds
 * Node 24, and hands over. Everything that needs more than that is TypeScript and runs after the handover.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { childEnvironment, endLike, findNode, runNode } from "./own-node.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What each verb runs, in order; the first command that fails ends the run. User arguments go to the last one. */
const COMMANDS_BY_VERB = {
  start: [["scripts/build-web.ts"], ["src/main.ts", "start", "--open"]],
  test: [["scripts/check.ts", "--with=e2e"]],
  check: [["scripts/check.ts"]],
  fix: [["scripts/fix.ts"]],
  soak: [["scripts/soak.ts"]],
  sim: [["sim/run.ts"]],
  e2e: [["scripts/e2e.ts"]],
  bench: [["bench/run.ts"]],
  mutate: [["scripts/mutate/run.ts"]],
};

function readJson(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  } catch {
    return null;
  }
}

/**
 * npm leaves its own record of what it installed, written last, so an interrupted install has none. Comparing it with
 * the lockfile answers the question for every way of installing, including a plain `npm ci --ignore-scripts`.
 */
function isInstalled() {
  const wanted = readJson("package-lock.json")?.packages;
  const present = readJson("node_modules/.package-lock.json")?.packages;
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const installed = present[path];
    return installed === undefined ? entry.optional === true : installed.version === entry.version;
  });
}

function install() {
  const args = [
    "ci",
    "--ignore-scripts",
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const cli = process.env.npm_execpath;
  const options = { cwd: root, stdio: "inherit", env: childEnvironment() };
  const startedMs = performance.now();
  console.log("Installing the dependencies named in package-lock.json; this takes about a minute the first time.");
  const result = cli?.endsWith(".js")
    ? spawnSync(process.env.npm_node_execpath ?? process.execPath, [cli, ...args], options)
    : spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
  if (result.error !== undefined) {
    return `npm could not be started (${result.error.message}); install Node 20 or later together with npm from https://nodejs.org and run this again.`;
  }
  if (result.signal !== null)
    return `Installing was stopped by ${result.signal}; run the same command again to finish it.`;
  if (result.status !== 0) {
    return (
      `Installing the dependencies failed: npm ended with exit code ${result.status}, its own words are above. ` +
      "Check that this machine reaches its package registry (`npm ping`) and that the disk has 1 GB free, then run the same command again."
    );
  }
  console.log(`Installed in ${Math.round((performance.now() - startedMs) / 1000)} s.`);
  return null;
}

async function main([verb, ...rest]) {
  const commands = Object.hasOwn(COMMANDS_BY_VERB, verb ?? "") ? COMMANDS_BY_VERB[verb] : null;
  if (commands === null) {
    return {
      code: 2,
      sentence: `Use: node scripts/bootstrap.mjs ${Object.keys(COMMANDS_BY_VERB).join("|")} [arguments]`,
    };
  }
  const problem = isInstalled() ? null : install();
  if (problem !== null) return { code: 1, sentence: problem };
  const node = findNode(root);
  if (node.sentence !== undefined) return { code: 1, sentence: node.sentence };
  for (const [index, command] of commands.entries()) {
    const isLast = index === commands.length - 1;
    const result = await runNode({ node: node.path, args: isLast ? [...command, ...rest] : command, cwd: root });
    if (isLast || result.code !== 0) return result;
  }
}

endLike(await main(process.argv.slice(2)));
