/** Draws the house from its plan. `--write` puts the picture between the markers in docs/ARCHITECTURE.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOMS, type Room, type Storey } from "./house.ts";
import { ROOT } from "./tools.ts";

export const MARKERS = {
  begin: "<!-- printed by scripts/print-architecture.ts: begin -->",
  end: "<!-- printed by scripts/print-architecture.ts: end -->",
} as const;

const TITLES: Readonly<Record<Storey, string>> = {
  entry: "ENTRY    starts the process, wires the rooms",
  shell: "SHELL    asynchronous: does what core decided, reports back facts",
  core: "CORE     pure: synchronous, no clock, no randomness, no input or output",
  beside: "BESIDE   not part of the server process",
};

export function renderArchitecture(): string {
  return ["```text", ...(["entry", "shell", "core", "beside"] as const).flatMap(renderStorey), "```"].join("\n");
}

function renderStorey(storey: Storey): readonly string[] {
  const rooms = ROOMS.filter((room) => room.storey === storey);
  const wall = storey === "core" ? ["", "=== values cross here; core never looks up ==="] : [];
  return [...wall, ...(storey === "entry" ? [] : [""]), TITLES[storey], ...rooms.flatMap(renderRoom)];
}

function renderRoom(room: Room): readonly string[] {
  const looksInto = room.mayImport.length === 0 ? "nothing" : room.mayImport.join(" ");
  return [
    `  ${room.name.padEnd(9)} ${room.paths.join(" ")}`,
    `${" ".repeat(12)}${room.purpose}`,
    `${" ".repeat(12)}-> ${looksInto}`,
  ];
}

/** The document with the picture replaced; null when it has no markers. */
export function withArchitecture(document: string): string | null {
  const begin = document.indexOf(MARKERS.begin);
  const end = document.indexOf(MARKERS.end);
  if (begin < 0 || end < begin) return null;
  return `${document.slice(0, begin + MARKERS.begin.length)}\n\n${renderArchitecture()}\n\n${document.slice(end)}`;
}

function main(args: readonly string[]): number {
  if (!args.includes("--write")) {
    console.log(renderArchitecture());
    return 0;
  }
  const path = join(ROOT, "docs", "ARCHITECTURE.md");
  const document = withArchitecture(readFileSync(path, "utf8"));
  if (document === null) {
    console.error("docs/ARCHITECTURE.md has lost the two markers the picture goes between.");
    return 1;
  }
  writeFileSync(path, document);
  return 0;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
