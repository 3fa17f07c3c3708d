import { randomBytes } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { defaultSandboxConfig, type SandboxConfig, type SandboxRun } from "#model";
import type { SandboxCommand, Sandboxes, SandboxSpace, Timers } from "#ports";
import { createSandboxes } from "#sandbox";

/** What every backend must hold; a container backend joins this list when there is one. */
export const SANDBOX_BACKENDS = ["subprocess"] as const;

export const MIB = 1024 * 1024;
export const CONFIG: SandboxConfig = defaultSandboxConfig({ memoryMb: 256, cpuSeconds: 60 });

const timers: Timers = {
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs);
    return () => clearTimeout(timer);
  },
};

/** A folder of its own, by its real name: grants go through no link. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "silas-contract-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const textOf = ({ bytes }: SandboxRun["stdout"]): string => new TextDecoder().decode(bytes);

export async function run(space: SandboxSpace, command: SandboxCommand): Promise<SandboxRun> {
  const ran = await space.run(command);
  if (!ran.ok) throw new Error(JSON.stringify(ran.error));
  return ran.value;
}

export const shell = (space: SandboxSpace, script: string): Promise<SandboxRun> =>
  run(space, { argv: ["/bin/sh", "-c", script] });

/** The two ways a suite gets a sandbox of a backend, in folders that go away with the test. */
export function workbench(backend: (typeof SANDBOX_BACKENDS)[number]) {
  const open = (folder: string): Sandboxes => {
    const sandboxes = createSandboxes({
      settings: { backend, workDir: join(folder, "data/sandbox/work") },
      own: [join(folder, "data"), join(folder, "state")],
      host: {
        platform: process.platform,
        arch: process.arch,
        searchPath: "/usr/local/bin:/usr/bin:/bin",
        node: process.execPath,
      },
      randomness: { bytes: (count) => randomBytes(count) },
      timers,
    });
    onTestFinished(() => sandboxes.close());
    return sandboxes;
  };
  const spaceOf = async (given: Partial<SandboxConfig> = {}, sandboxes = open(tempFolder())): Promise<SandboxSpace> => {
    const opened = await sandboxes.open({ ...CONFIG, ...given });
    if (!opened.ok) throw new Error(JSON.stringify(opened.error));
    return opened.value;
  };
  return { open, spaceOf };
}
