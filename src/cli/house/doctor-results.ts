import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { LoadedConfig } from "#config";
import type { Finding } from "./doctor.ts";

/** How much room the results of runs take, and how long they are kept. */
export function checkResults({ setup }: { readonly setup: LoadedConfig }): Finding {
  const { artifactsKeepDays: days } = setup.config.execution;
  const sizes = sizesIn(join(setup.paths.dataDir, "artifacts"));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const message = `${sizes.length === 1 ? "1 file" : `${sizes.length} files`} of runs, ${inMegabytes(bytes)}, kept for ${days} days`;
  return { check: "results", state: "ok", message, fix: null };
}

const inMegabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

function sizesIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  } catch {
    // Nothing was kept yet.
    return [];
  }
}
