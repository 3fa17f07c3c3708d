/**
 * A program of a plan that says itself that it runs, and runs until it is let go: what a test does meanwhile depends on
 * no machine's pace. Command lines say less: that of the sandbox holds the words of the program before there is one.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Home } from "./cli-process.ts";

type HeldProgram = {
  /** As `run` of a step or a check has it. Its plan grants `place` to read. */
  readonly command: string;
  readonly place: string;
  /** In the words of every process of it, and of nobody else. */
  readonly mark: string;
  /** Whether it runs for this home, or ran when the Silas there was killed. */
  hasBegun(home: Pick<Home, "dir">): boolean;
  letGo(): void;
};

export function holdProgram(): HeldProgram {
  // Plans may not reach into /tmp.
  const place = mkdtempSync("/var/tmp/silas-held-");
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const [mark, name] = [join(place, "go"), basename(place)];
  return {
    command: `sh -c "touch /workspace/${name}; until test -e ${mark}; do sleep 0.05; done"`,
    place,
    mark,
    hasBegun: ({ dir }) => namesIn(join(dir, "data", "sandbox", "work")).includes(name),
    letGo: () => writeFileSync(mark, ""),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => basename(path));
  } catch {
    // Nothing was put there yet, or something is put away in this very moment.
    return [];
  }
}
