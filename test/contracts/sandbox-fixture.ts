import { randomBytes } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { defaultSandboxConfig, type SandboxConfig, type SandboxRun } from "#model";
import type { SandboxCommand, Sandboxes, SandboxSpace, Timers } from "#ports";
import { createSandboxes, type SandboxSettings } from "#sandbox";
import { startContainerEngine, type ContainerEngine } from "./container-engine.ts";

/** What every backend must hold. */
export const SANDBOX_BACKENDS = ["subprocess", "docker"] as const;
type SandboxBackendName = (typeof SANDBOX_BACKENDS)[number];

/** A container takes half a second, bubblewrap a hundredth of one: what is repeated is repeated less often there. */
export const timesFor = (backend: SandboxBackendName, times: number): number =>
  backend === "docker" ? Math.floor(times / 20) : times;

export const MIB = 1024 * 1024;
export const CONFIG: SandboxConfig = defaultSandboxConfig({ memoryMb: 256, cpuSeconds: 60 });

export const timers: Timers = {
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

/** The settings of a backend for the tests of one `describe`, with an engine of their own where it needs one. */
export function settingsFor(backend: SandboxBackendName): (workDir: string) => SandboxSettings {
  if (backend === "subprocess") return (workDir) => ({ backend, workDir });
  let engine: ContainerEngine | null = null;
  beforeAll(async () => {
    engine = await startContainerEngine();
  });
  afterAll(async () => {
    // Whatever happened in the tests: no container is left of any of them.
    const left = engine?.containers();
    await engine?.close();
    expect(left).toEqual([]);
  });
  return (workDir) => {
    if (engine === null) throw new Error("no engine was started");
    return { backend, workDir, baseImage: engine.image, engineSocket: engine.socket };
  };
}

/** The two ways a suite gets a sandbox of a backend, in folders that go away with the test. */
export function workbench(backend: SandboxBackendName) {
  const settings = settingsFor(backend);
  const create = (folder: string, given = timers): Sandboxes =>
    createSandboxes({
      settings: settings(join(folder, "data/sandbox/work")),
      own: [join(folder, "data"), join(folder, "state")],
      host: {
        platform: process.platform,
        arch: process.arch,
        searchPath: "/usr/local/bin:/usr/bin:/bin",
        node: process.execPath,
      },
      randomness: { bytes: (count) => randomBytes(count) },
      timers: given,
    });
  const open = (folder: string, given = timers): Sandboxes => {
    const sandboxes = create(folder, given);
    onTestFinished(() => sandboxes.close());
    return sandboxes;
  };
  // One for all who do not care which: the trial launch before the first space is made once.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "silas-contract-")));
  let shared: Sandboxes | null = null;
  afterAll(async () => {
    await shared?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const spaceOf = async (
    given: Partial<SandboxConfig> = {},
    sandboxes = (shared ??= create(folder)),
  ): Promise<SandboxSpace> => {
    const opened = await sandboxes.open({ ...CONFIG, ...given });
    if (!opened.ok) throw new Error(JSON.stringify(opened.error));
    onTestFinished(() => opened.value.close());
    return opened.value;
  };
  return { open, spaceOf };
}
