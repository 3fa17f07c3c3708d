import type { SandboxConfig, SandboxRun } from "#model";
import type { Timers } from "#ports";
import { createFolderGauge } from "./folder-use.ts";
import { readTree } from "./process-tree.ts";

export type LimitName = Extract<SandboxRun["end"], { readonly kind: "limit" }>["which"];

type WatchOptions = {
  /** The first process of the sandbox; null until it is known. */
  readonly first: () => number | null;
  readonly workspace: string;
  readonly limits: SandboxConfig["limits"];
  readonly timers: Timers;
  readonly onOver: (which: LimitName) => void;
};

export type Watch = {
  stop(): void;
  /** After the end: whether the workspace holds more than it may. */
  isOverfull(): Promise<boolean>;
};

const LOOK_EVERY_MS = 50;

/**
 * Looks at all processes of a run together, from outside, where they cannot reach the watcher. The kernel's own limits
 * count for each process alone, some not at all for root, and its limit of address space under 2 GB stops Node.
 */
export function watchRun({ first, workspace, limits, timers, onOver }: WatchOptions): Watch {
  const gauge = createFolderGauge(workspace, limits.fileBytes);
  let isStopped = false;
  let cancel = timers.after(LOOK_EVERY_MS, () => void look());

  async function look(): Promise<void> {
    const over = overOf(first(), limits) ?? ((await gauge.isOver()) ? "files" : null);
    if (isStopped) return;
    if (over !== null) return onOver(over);
    cancel = timers.after(LOOK_EVERY_MS, () => void look());
  }
  return {
    stop() {
      isStopped = true;
      cancel();
    },
    isOverfull: () => gauge.isOver(),
  };
}

function overOf(first: number | null, limits: SandboxConfig["limits"]): LimitName | null {
  if (first === null) return null;
  // The first process is bubblewrap's own and is not counted as one of the program's.
  const use = readTree(first, limits.processes + 1);
  if (use.processes > limits.processes + 1) return "processes";
  if (use.memoryBytes > limits.memoryMb * 1024 * 1024) return "memory";
  return use.cpuSeconds > limits.cpuSeconds ? "cpu" : null;
}
