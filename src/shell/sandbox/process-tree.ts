import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** What the processes of one sandbox use together. */
type TreeUse = { readonly processes: number; readonly memoryBytes: number; readonly cpuSeconds: number };

/** The kernel counts processor time in hundredths of a second for everybody who asks. */
const TICKS_PER_SECOND = 100;

/**
 * Adds up the first process of a PID namespace and all its descendants, which is everything in it: whoever loses its
 * parent becomes a child of the first. Looks at no more than `processesMax` of them and one more.
 */
export function readTree(first: number, processesMax: number): TreeUse {
  const waiting = [first];
  let use: TreeUse = { processes: 0, memoryBytes: 0, cpuSeconds: 0 };
  for (let pid = waiting.pop(); pid !== undefined && use.processes <= processesMax; pid = waiting.pop()) {
    const own = readProcess(pid);
    if (own === null) continue;
    use = {
      processes: use.processes + 1,
      memoryBytes: use.memoryBytes + own.memoryBytes,
      cpuSeconds: use.cpuSeconds + own.cpuSeconds,
    };
    waiting.push(...own.children);
  }
  return use;
}

/** The process that a process was started by; null for one that is gone. */
export function parentOf(pid: number): number | null {
  const fields = statFields(pid);
  return fields === null ? null : Number(fields[1]);
}

/** Whether a filter of system calls holds for a process. */
export const isFiltered = (pid: number): boolean => /^Seccomp:\s+2$/m.test(readOr(`/proc/${pid}/status`));

/**
 * Whether the first process of a sandbox has any other beside it. All others descend from it: when it has no children,
 * there are none. A number that belongs to somebody of this machine by now is of no sandbox.
 */
export function hasSandboxed(first: number): boolean {
  if (childrenOf(first).length === 0) return false;
  const namespace = readlinkOr(`/proc/${first}/ns/pid`);
  // Without one it has left its namespaces already, and is about to end the others.
  return namespace === null ? statFields(first) !== null : namespace !== readlinkOr("/proc/self/ns/pid");
}

/**
 * Ends every process of another PID namespace that has something of this name mounted, or open: bubblewrap's first
 * process holds what it is going to mount, and waits for ever when bubblewrap was ended before it let it go on.
 */
export function endHolding(name: string): void {
  const own = readlinkOr("/proc/self/ns/pid");
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const isOther = ![null, own].includes(readlinkOr(`/proc/${pid}/ns/pid`));
    if (isOther && (readOr(`/proc/${pid}/mountinfo`).includes(name) || hasOpen(pid, name))) endProcess(Number(pid));
  }
}

function hasOpen(pid: string, name: string): boolean {
  try {
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkOr(`/proc/${pid}/fd/${fd}`) ?? "");
    return open.some((path) => path.split("/").includes(name));
  } catch {
    // Gone, or somebody else's.
    return false;
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone since, as it should be.
  }
}

function readlinkOr(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function readProcess(pid: number) {
  const fields = statFields(pid);
  if (fields === null) return null;
  // User and system time, its own and that of the children it has waited for.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { cpuSeconds: ticks / TICKS_PER_SECOND, memoryBytes: memoryOf(pid), children: childrenOf(pid) };
}

/** What would be free without the process: its own pages, and shared ones that are no file's. */
function memoryOf(pid: number): number {
  const status = readOr(`/proc/${pid}/status`);
  return [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].reduce(
    (sum, [, kib]) => sum + Number(kib) * 1024,
    0,
  );
}

/** Its own children that are still alive. */
export function childrenOf(pid: number): readonly number[] {
  return tasksOf(pid).flatMap((task) =>
    readOr(`/proc/${pid}/task/${task}/children`).split(" ").filter(Boolean).map(Number),
  );
}

function tasksOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Fields of /proc/PID/stat from the third on; the name before them may hold anything. */
function statFields(pid: number): readonly string[] | null {
  const text = readOr(`/proc/${pid}/stat`);
  return text === "" ? null : text.replace(/^.*\) /s, "").split(" ");
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
