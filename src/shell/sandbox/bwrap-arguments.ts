import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import type { Duplex } from "node:stream";
import type { SandboxConfig } from "#model";
import { EGRESS_SOCKET } from "./egress-program.ts";
import { WORKSPACE, type OpenedPath } from "./granted-paths.ts";
import { isFiltered, parentOf } from "./process-tree.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const MIB = 1024 * 1024;
/** A Node that may map less private memory than this in all does not start. */
const START_BYTES = 1024 * MIB;
/** Threads count as processes for the kernel; a Node has eleven. */
const THREADS_OF_PROCESS = 12;
const OPEN_FILES = 1024;
/** Shells count memory in kilobytes and files in blocks. */
const KIB = 1024;
const BLOCK_BYTES = 512;

/**
 * Numbers under which bubblewrap finds what it is handed; from `first` on follow the pipes of the program, and after them
 * what only bubblewrap reads. A shell knows numbers of one digit only, and the gate and the program may both be one.
 */
export const HANDED = { status: 3, options: 4, gate: 5, first: 6 } as const;

type Setting = {
  readonly mounts: readonly string[];
  /** Files of /proc that a program finds closed. */
  readonly hidden: readonly string[];
  readonly config: SandboxConfig;
  readonly paths: readonly OpenedPath[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The number of what follows the program's pipes: the filter, the workspace, the paths and the socket of the gateway. */
  readonly afterPipes: number;
  /** Whether the socket of the gateway is handed over. */
  readonly network: "none" | "gateway";
};

/**
 * Everything about the sandbox. It goes through a pipe and not on the command line, where everybody on the machine could
 * read the environment; and into no variable of bubblewrap itself, where LD_PRELOAD would act outside.
 */
export function bwrapOptions(setting: Setting): readonly string[] {
  const { mounts, hidden, config, paths, afterPipes, env, cwd, network } = setting;
  const [filter, workspace, firstPath] = [afterPipes, afterPipes + 1, afterPipes + 2];
  const tmpBytes = Math.ceil((config.limits.memoryMb * MIB) / 2);
  return [
    ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"],
    // Nobody in particular, also where Silas runs as root.
    ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"],
    mounts,
    ["--proc", "/proc", "--dev", "/dev"],
    // Keyrings are in no namespace a program is put in: these would name keys of this machine.
    hidden.flatMap((file) => ["--ro-bind", "/dev/null", file]),
    ["--perms", "1777", "--size", String(tmpBytes), "--tmpfs", "/dev/shm"],
    ["--perms", "1777", "--size", String(tmpBytes), "--tmpfs", "/tmp"],
    ["--bind-fd", String(workspace), WORKSPACE],
    paths.flatMap(({ as, access }, at) => [
      access === "read" ? "--ro-bind-fd" : "--bind-fd",
      String(firstPath + at),
      as,
    ]),
    network === "none" ? [] : ["--ro-bind-fd", String(firstPath + paths.length), EGRESS_SOCKET],
    // A Silas of root could otherwise be made to set the kernel through /proc/sys.
    ["/proc", "/dev", "/"].flatMap((place) => ["--remount-ro", place]),
    ["--setenv", "PATH", PATH, "--setenv", "HOME", WORKSPACE],
    Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ["--chdir", cwd],
    ["--seccomp", String(filter), "--json-status-fd", String(HANDED.status)],
  ].flat();
}

/** The kernel counts tasks: processes and their threads. */
export const tasksMaxOf = ({ processes }: SandboxConfig["limits"]): number => processes * THREADS_OF_PROCESS;

/** Waits at the gate; then come the kernel's own limits for each process, and the program. The sum is watched from outside. */
export function programArguments(argv: readonly string[], { limits }: SandboxConfig): readonly string[] {
  const processes = tasksMaxOf(limits);
  const set = [
    `ulimit -S -t ${limits.cpuSeconds}`,
    // Ends a program that ignores the first.
    `ulimit -H -t ${limits.cpuSeconds + 1}`,
    `ulimit -d ${(limits.memoryMb * MIB + START_BYTES) / KIB}`,
    `ulimit -f ${Math.max(1, Math.floor(limits.fileBytes / BLOCK_BYTES))}`,
    `ulimit -n ${OPEN_FILES}`,
    "ulimit -c 0",
    // Some shells know the limit of processes by one letter and some by the other; none by both.
    `{ ulimit -u ${processes} || ulimit -p ${processes}; } 2>/dev/null`,
  ];
  return [...atGate(HANDED.gate, set), ...argv];
}

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
