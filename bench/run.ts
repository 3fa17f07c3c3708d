/**
 * `npm run bench [-- NAME]`: measures the promises about speed and size, prints a table and writes the same rows as JSON
 * to bench/results/. Every figure is a ratio within one run; it is information, never a test.
 *
 * To add a path, write `bench/<name>.ts` exporting `lines()` and name it in PATHS.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { measureLine, type Line, type Row } from "./measure.ts";
import { ensurePeers } from "./peers.ts";
import { endPath } from "./places.ts";
import { formatTable } from "./table.ts";

type Path = { readonly lines: () => Promise<readonly Line[]> };

const PATHS: Readonly<Record<string, () => Promise<Path>>> = {
  canonical: () => import("./canonical.ts"),
  audit: () => import("./audit.ts"),
  approval: () => import("./approval.ts"),
  queue: () => import("./queue.ts"),
  server: () => import("./server.ts"),
  journal: () => import("./journal.ts"),
  search: () => import("./search.ts"),
  sandbox: () => import("./sandbox.ts"),
  work: () => import("./work.ts"),
  stream: () => import("./stream/stream.ts"),
  cockpit: () => import("./cockpit.ts"),
  growth: () => import("./growth.ts"),
};

const WITHOUT_PEERS = new Set(["growth", "stream"]);

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => !Object.hasOwn(PATHS, name));
  if (unknown !== undefined) {
    console.error(`There is no bench "${unknown}"; there are: ${Object.keys(PATHS).join(", ")}.`);
    return 2;
  }
  const problem = names.length > 0 && names.every((name) => WITHOUT_PEERS.has(name)) ? null : ensurePeers();
  if (problem !== null) {
    console.error(problem);
    return 1;
  }
  for (const name of names.length > 0 ? names : Object.keys(PATHS)) {
    const rows = await measurePath(name);
    console.log(`\n${name}\n${formatTable(rows)}`);
    console.log(`Written to ${save(name, rows)}.`);
  }
  return 0;
}

async function measurePath(name: string): Promise<readonly Row[]> {
  const path = await PATHS[name]?.();
  const rows: Row[] = [];
  try {
    for (const line of (await path?.lines()) ?? []) rows.push(...(await measureLine(line)));
    return rows;
  } finally {
    await endPath();
  }
}

function save(name: string, rows: readonly Row[]): string {
  const folder = new URL("results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
  writeFileSync(
    new URL(`${name}.json`, folder),
    `${JSON.stringify({ name, at: new Date().toISOString(), machine, rows }, null, 2)}\n`,
  );
  return `bench/results/${name}.json`;
}

// `--size=100000` is for the paths that build a history; they read it themselves.
process.exitCode = await main(process.argv.slice(2).filter((name) => !name.startsWith("--size=")));
