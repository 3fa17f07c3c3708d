import type { SandboxConfig, SandboxRun } from "#model";
import type { Timers } from "#ports";
import { createFolderGauge } from "./folder-use.ts";
import { kernelBytesOf } from "./kernel-memory.ts";
import { readTree } from "./process-tree.ts";

export type LimitName = Extract<SandboxRun["end"], { readonly kind: "limit" }>["which"];

type WatchOptions = {
  /** The first process of the sandbox; null until it is known. */
  readonly first: () => number | null;
  /** Those that stand beside the program and are not counted as its own. */
  readonly ownProcesses: number;
  readonly workspace: string;
  readonly limits: SandboxConfig["limits"];
  readonly timers: Timers;
  readonly onOver: (which: LimitName) => void;
};

type Watch = {
  stop(): void;
  /** After the end: whether the workspace holds more than it may. */
  isOverfull(): Promise<boolean>;
};

const LOOK_EVERY_MS = 50;

/**
 * Looks at all processes of a run together, from outside, where they cannot reach the watcher. The kernel's own limits
 * count for each process alone, some not at all for root, and its limit of address space under 2 GB stops Node.
 */
export function watchRun({ first, ownProcesses, workspace, limits, timers, onOver }: WatchOptions): Watch {
  const gauge = createFolderGauge(workspace, limits.fileBytes);
  let isStopped = false;
  const cancels = new Map<() => unknown, () => void>();
  // Each on its own: while a full folder is counted nobody may take all the memory there is.
  const again = (look: () => unknown): void => {
    if (!isStopped)
      cancels.set(
        look,
        timers.after(LOOK_EVERY_MS, () => void look()),
      );
  };
  const lookAtProcesses = (): void => {
    const over = overOf(first(), { ...limits, processes: limits.processes + ownProcesses });
    if (over !== null) return onOver(over);
    again(lookAtProcesses);
  };
  const lookAtFiles = async (): Promise<void> => {
    const isOver = await gauge.isOver();
    if (isOver && !isStopped) return onOver("files");
    again(lookAtFiles);
  };
  again(lookAtProcesses);
  again(lookAtFiles);
  return {
    stop() {
      isStopped = true;
      for (const cancel of cancels.values()) cancel();
    },
    isOverfull: () => gauge.isOver(),
  };
}

function overOf(first: number | null, limits: SandboxConfig["limits"]): LimitName | null {
  if (first === null) return null;
  const use = readTree(first, limits.processes);
  if (use.processes > limits.processes) return "processes";
  if (use.memoryBytes + kernelBytesOf(first) > limits.memoryMb * 1024 * 1024) return "memory";
  return use.cpuSeconds > limits.cpuSeconds ? "cpu" : null;
}
