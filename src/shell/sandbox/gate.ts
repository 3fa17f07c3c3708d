import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { Duplex } from "node:stream";
import { isFiltered, parentOf } from "./process-tree.ts";

const BOUND_POLL_MS = 1;

/**
 * Stands before a program: says that it is there, sets its limits once it is answered, and becomes the program. If Silas
 * is gone it reads the end instead, and the program never begins; nor does it when a limit cannot be set. The script
 * holds nothing of the program, whose arguments pass it as they are. [SBX-04]
 */
export const atGate = (number: number, limits: readonly string[]): readonly string[] => [
  "/bin/sh",
  "-c",
  `unset SHLVL; echo >&${number}; read -r go <&${number} && ${limits.join(" && ")} && exec "$@" ${number}>&-`,
  "gate",
];

type Gate = {
  readonly child: ChildProcess;
  readonly gate: Duplex;
  readonly first: () => number | null;
  /** Whether the run was ended before it began. */
  readonly isOver: () => boolean;
  /** While the program still waits: the last moment to set what holds for it and all it starts. */
  readonly onBound: (first: number) => Promise<void>;
};

/**
 * INVARIANT: a program begins only when its life is bound to that of Silas. Each of bubblewrap's processes asks the kernel
 * to end it with its parent, but none looks whether the parent was gone by then; so whoever is killed at the wrong moment
 * would leave a program behind that nobody watches. bubblewrap itself has asked before it lets its first process go on,
 * and that one asks just before it takes the filter of system calls, which can be seen from here. [SBX-02]
 */
export function keepGate({ child, gate, first, isOver, onBound }: Gate): void {
  const isBound = (): boolean => {
    const pid = first();
    return pid !== null && isFiltered(pid) && parentOf(pid) === child.pid;
  };
  const open = async (): Promise<void> => {
    while (!isBound() && child.exitCode === null && child.signalCode === null) await delay(BOUND_POLL_MS);
    const pid = first();
    if (pid !== null) await onBound(pid);
    if (!isOver()) gate.end("\n");
  };
  gate.once("data", () => void open());
}
