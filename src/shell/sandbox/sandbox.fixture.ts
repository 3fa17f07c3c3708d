import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { defaultSandboxConfig, type SandboxConfig, type SandboxRun } from "#model";
import type { Sandboxes, SandboxSpace, Timers } from "#ports";
import { createSandboxes, type SandboxesOptions } from "./sandboxes.ts";

export const timers: Timers = {
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  },
};
export const randomness = { bytes: (count: number) => randomBytes(count) };

/** A folder of its own, by its real name: grants go through no link. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "silas-sandbox-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const HOST = {
  platform: process.platform,
  arch: process.arch,
  searchPath: "/usr/local/bin:/usr/bin:/bin",
  node: process.execPath,
};

export function optionsIn(folder: string, given: Partial<SandboxesOptions> = {}): SandboxesOptions {
  const settings = { backend: "subprocess", workDir: join(folder, "data", "sandbox", "work") } as const;
  return { settings, own: [join(folder, "data"), join(folder, "state")], host: HOST, randomness, timers, ...given };
}

export function sandboxesIn(folder: string, given: Partial<SandboxesOptions> = {}): Sandboxes {
  const sandboxes = createSandboxes(optionsIn(folder, given));
  onTestFinished(() => sandboxes.close());
  return sandboxes;
}

export const CONFIG: SandboxConfig = defaultSandboxConfig({ memoryMb: 256, cpuSeconds: 60 });

export async function spaceIn(sandboxes: Sandboxes, given: Partial<SandboxConfig> = {}): Promise<SandboxSpace> {
  const opened = await sandboxes.open({ ...CONFIG, ...given });
  if (!opened.ok) throw new Error(JSON.stringify(opened.error));
  return opened.value;
}

export async function runIn(space: SandboxSpace, ...argv: readonly string[]): Promise<SandboxRun> {
  const ran = await space.run({ argv });
  if (!ran.ok) throw new Error(JSON.stringify(ran.error));
  return ran.value;
}

export const textOf = ({ bytes }: SandboxRun["stdout"]): string => new TextDecoder().decode(bytes);
