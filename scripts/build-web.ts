/**
 * Builds the page once, and again only when something it is made of has changed.
 *
 * The stamp is a digest of every input; it is written after the build, so a build that was cut off is repeated.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT, toolCommand } from "./tools.ts";

const INPUTS = ["web", "src/core", "package.json", "package-lock.json", "tsconfig.base.json", "tsconfig.web.json"];
const NOT_INPUTS = new Set(["dist", "node_modules", ".vite"]);
const STAMP = join("web", "dist", ".built-from");

type BuildOutcome = { readonly state: "fresh" | "built" | "failed"; readonly output: string };

export function buildWeb(root: string): BuildOutcome {
  const digest = digestOf(root);
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return { state: "fresh", output: "" };
  const build = spawnSync(process.execPath, [toolCommand("vite"), "build", "--config", "web/vite.config.ts"], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production" },
  });
  const output = `${build.stdout}${build.stderr}`;
  if (build.status !== 0) return { state: "failed", output };
  writeFileSync(stamp, digest);
  return { state: "built", output };
}

export function digestOf(root: string): string {
  const hash = createHash("sha256");
  for (const input of INPUTS) {
    for (const path of filesUnder(join(root, input))) {
      hash
        .update(`${relative(root, path)}\0`)
        .update(readFileSync(path))
        .update("\0");
    }
  }
  return hash.digest("hex");
}

function filesUnder(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (NOT_INPUTS.has(entry.name)) return [];
    const child = join(path, entry.name);
    if (entry.isDirectory()) return filesUnder(child);
    return /\.test\.tsx?$/.test(entry.name) ? [] : [child];
  });
}

function main(): number {
  const startedMs = performance.now();
  const outcome = buildWeb(ROOT);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  if (outcome.state === "built") console.log(`Built the page in ${seconds} s.`);
  if (outcome.state === "failed") {
    console.error(outcome.output);
    console.error("The page could not be built; the reason is above.");
  }
  return outcome.state === "failed" ? 1 : 0;
}

if (import.meta.main) process.exitCode = main();
