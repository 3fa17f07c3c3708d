import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const endings: (() => Promise<void> | void)[] = [];

/** Work for when the path is measured: closing what was opened, last first. */
export function whenMeasured(ending: () => Promise<void> | void): void {
  endings.push(ending);
}

export async function endPath(): Promise<void> {
  for (const ending of endings.splice(0).toReversed()) await ending();
}

const made: string[] = [];

function removeDirs(): void {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
}

/** A directory of its own, removed when the bench ends: the next path may still copy from it. */
export function makeDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "silas-bench-"));
  if (made.length === 0) process.once("exit", removeDirs);
  made.push(dir);
  return dir;
}
