/**
 * `node scripts/count-house.ts` counts source, duplicated mechanisms and the files that run for one plan and one message.
 * `--list` also names these files; `--static` leaves out the counts that need a running server.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sources } from "./count/code.ts";
import { sizeCounts } from "./count/size-counts.ts";
import { staticCounts, type Count } from "./count/static-counts.ts";
import { ROOT } from "./tools.ts";

const MEASURE = "test/house/measure-paths.ts";

/** As the measuring process prints it. */
type Measured = {
  readonly plan: readonly string[];
  readonly message: readonly string[];
  /** For each call of the parser the files that led to it, nearest first. */
  readonly parserCalls: readonly (readonly string[])[];
};

function readSources(): Sources {
  const paths = ["src", "web/src"].flatMap((root) =>
    readdirSync(join(ROOT, root), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:ts|tsx|css|sql)$/.test(name))
      .map((name) => `${root}/${name.replaceAll("\\", "/")}`),
  );
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
}

function measure(): readonly Count[] {
  const child = spawnSync(process.execPath, [join(ROOT, MEASURE)], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.status !== 0) throw new Error(`${MEASURE} ended with ${child.status ?? child.signal ?? "an error"}`);
  const { plan, message, parserCalls } = JSON.parse(child.stdout) as Measured;
  const calls = parserCalls.map((files, index) => ({
    name: `call ${index + 1}`,
    place: files.slice(1, 5).join(" < "),
  }));
  return [
    { title: "calls of the plan parser from proposal to receipt, measured", number: calls.length, found: calls },
    pathOf("a plan from proposal to receipt", plan),
    pathOf("a message from arrival to answer", message),
  ];
}

const LONG = "files that run for ";
const pathOf = (what: string, files: readonly string[]): Count => ({
  title: `${LONG}${what}, measured`,
  number: files.length,
  found: files.map((place) => ({ name: "", place })),
});

function print({ title, number, found }: Count, isListed: boolean): void {
  console.log(`${String(number).padStart(7)}  ${title}`);
  if (title.startsWith(LONG) && !isListed) return;
  for (const { name, place } of found) console.log(`         ${name === "" ? "" : `${name}  `}${place}`);
}

function main(args: readonly string[]): void {
  const sources = readSources();
  for (const count of [...sizeCounts(sources), ...staticCounts(sources)]) print(count, true);
  if (args.includes("--static")) return;
  for (const count of measure()) print(count, args.includes("--list"));
}

if (import.meta.main) main(process.argv.slice(2));
