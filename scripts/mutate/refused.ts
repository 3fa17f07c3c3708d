/** Which faults `npm run check` refuses without a test: they do not compile, or leave a promise that nobody waits for. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisesCommand, toolCommand } from "../tools.ts";
import { plant, type Mutant } from "./mutants.ts";

type Project = { readonly directory: string; readonly sources: ReadonlyMap<string, string> };

/**
 * Checks the product with many faults at once, one per file: an error is counted against the fault of its own file.
 * A name that is no longer used is not an error here, since a dropped call would hide behind its import.
 */
export async function refusedByCheck(
  mutants: readonly Mutant[],
  { directory, sources }: Project,
): Promise<readonly Mutant[]> {
  const refused: Mutant[] = [];
  for (const round of roundsOf(mutants)) {
    for (const mutant of round) write(mutant.path, plant(sources.get(mutant.path) ?? "", mutant));
    const wrong = await filesRefused(directory);
    for (const { path } of round) write(path, sources.get(path) ?? "");
    refused.push(...round.filter(({ path }) => wrong.has(path)));
  }
  return refused;

  function write(path: string, source: string): void {
    writeFileSync(join(directory, path), source);
  }
}

/** Each round has at most one fault of a file. */
export function roundsOf(mutants: readonly Mutant[]): readonly (readonly Mutant[])[] {
  const byPath = Map.groupBy(mutants, ({ path }) => path);
  const most = Math.max(0, ...[...byPath.values()].map(({ length }) => length));
  return Array.from({ length: most }, (_, round) => [...byPath.values()].flatMap((own) => own.slice(round, round + 1)));
}

/** `src/core/a.ts(3,5): error TS2339: ...` from the compiler, `src/core/a.ts:3:5: ...` from the linter. */
export function filesWithErrors(output: string): ReadonlySet<string> {
  return new Set(
    [...output.matchAll(/^(src\/.+?\.ts)(?:\(\d+,\d+\): error TS|:\d+:\d+: )/gm)].map(([, path]) => path ?? ""),
  );
}

export async function filesRefused(directory: string): Promise<ReadonlySet<string>> {
  const compiler = [toolCommand("typescript"), "--project", "scripts/mutate/tsconfig.json", "--pretty", "false"];
  const compiled = await outputOf(compiler, directory);
  const linted = await outputOf([...promisesCommand(), "--format=unix", "src"], directory);
  return filesWithErrors(`${compiled}\n${linted}`);
}

async function outputOf(command: readonly string[], directory: string): Promise<string> {
  const child = spawn(process.execPath, command, { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
  return text(child.stdout);
}
