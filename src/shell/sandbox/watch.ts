import {
  readFileSync,
  readlinkSync,
  statfsSync,
  statSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  opendirSync,
  openSync,
  realpathSync,
  type Dir,
  type Stats,
} from "node:fs";
import { performance } from "node:perf_hooks";
import { setImmediate as breathe } from "node:timers/promises";
import type { SandboxConfig, SandboxRun } from "#model";
import type { Timers } from "#ports";
import { readTree } from "./process-tree.ts";
import { O_PATH } from "./granted-paths.ts";

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

/** Places of a sandbox that lie in memory. How much is in their files is bounded where they are mounted. */
const IN_MEMORY = ["/tmp", "/dev/shm"] as const;
/** What an empty file in memory costs the kernel, its name included. */
const FILE_BYTES = 1024;
/** What lies in a socket that nobody reads, about half of what may. */
const SOCKET_BYTES = 96 * 1024;
/** Sockets that every honest program may have for nothing. */
const SOCKETS_FREE = 256;

/**
 * Memory that the kernel holds for the processes of a sandbox and counts with none of them: files in memory, also empty
 * ones, and sockets. The two are the ways to hundreds of megabytes; where they cannot be asked for they count as none.
 */
export function kernelBytesOf(first: number): number {
  // Before it has places and sockets of its own, it sees those of this machine, and has none of them.
  const files = hasOwnRoot(first) ? IN_MEMORY.map((place) => filesIn(`/proc/${first}/root${place}`)) : [];
  const sockets = hasOwnNetwork(first) ? Math.max(0, socketsOf(first) - SOCKETS_FREE) : 0;
  return files.reduce((sum, count) => sum + count, 0) * FILE_BYTES + sockets * SOCKET_BYTES;
}

function hasOwnRoot(first: number): boolean {
  try {
    const [own, here] = [statSync(`/proc/${first}/root`), statSync("/")];
    return own.dev !== here.dev || own.ino !== here.ino;
  } catch {
    return false;
  }
}

function hasOwnNetwork(first: number): boolean {
  try {
    return readlinkSync(`/proc/${first}/ns/net`) !== readlinkSync("/proc/self/ns/net");
  } catch {
    return false;
  }
}

function filesIn(place: string): number {
  try {
    const { files, ffree, type } = statfsSync(place);
    return type === TMPFS ? files - ffree : 0;
  } catch {
    return 0;
  }
}
/** As the kernel marks it. */
const TMPFS = 0x01021994;

/** Of the network namespace of the process, those of the machine's own side not among them. */
function socketsOf(first: number): number {
  try {
    return Number(/^sockets: used (\d+)$/m.exec(readFileSync(`/proc/${first}/net/sockstat`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Answers whether a folder has grown past what it may hold. */
type FolderGauge = { isOver(): Promise<boolean> };

/** Many empty files are a way to fill a disk as well. */
const ENTRIES_MAX = 200_000;

/** A folder is counted this often at most, and rests this many times as long as counting it took. */
const COUNT_EVERY_MS = 1000;
const REST_SHARE = 20;

/**
 * Counting a folder is slow, asking how full its disk is costs nothing: the folder is counted at once when so much has
 * gone from the disk since the start that it could be over. Others may free what it takes, so it is also counted now
 * and then, the less often the longer that takes.
 */
export function createFolderGauge(folder: string, bytesMax: number): FolderGauge {
  const start = fullness(folder);
  let nextCountMs = performance.now() + COUNT_EVERY_MS;
  const count = async (): Promise<boolean> => {
    const startedMs = performance.now();
    const isOver = await isFolderOver(folder, bytesMax);
    const endedMs = performance.now();
    nextCountMs = endedMs + Math.max(COUNT_EVERY_MS, (endedMs - startedMs) * REST_SHARE);
    return isOver;
  };
  return {
    async isOver() {
      const now = fullness(folder);
      const gone = (start.bavail - now.bavail) * now.bsize;
      // A folder that is gone holds nothing.
      if (Number.isNaN(gone)) return false;
      const couldBeOver = gone >= bytesMax / 2 || start.ffree - now.ffree >= ENTRIES_MAX / 2;
      return couldBeOver || performance.now() >= nextCountMs ? count() : false;
    },
  };
}

function fullness(folder: string): { readonly bavail: number; readonly ffree: number; readonly bsize: number } {
  try {
    return statfsSync(folder);
  } catch {
    return { bavail: Number.NaN, ffree: Number.NaN, bsize: Number.NaN };
  }
}

/** Entries that are looked at in one go: others have their turn in between. */
const SLICE = 500;

/**
 * Counts what a program left, and nothing it hides counts as nothing: names are taken as bytes, since not all are text;
 * folders it closed to readers are opened; and one that lies deeper than a path can say is over the limit by that. What
 * vanishes while it is counted does not count, and no link is followed, however it came to be where a folder was.
 */
export async function isFolderOver(folder: string, bytesMax: number): Promise<boolean> {
  const root = Buffer.from(realpathSync(folder));
  const waiting: Buffer[] = [root];
  let bytes = 0;
  let entries = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const opened = openWithin(root, next);
    if (opened === "too_deep") return true;
    if (opened === null) continue;
    try {
      for (let entry = opened.dir.readSync(); entry !== null; entry = opened.dir.readSync()) {
        const name = Buffer.from(entry.name, "latin1");
        const found = lstatOr(joined(Buffer.from(opened.path), name));
        bytes += (found?.blocks ?? 0) * 512;
        entries += 1;
        if (bytes > bytesMax || entries > ENTRIES_MAX) return true;
        if (found?.isDirectory()) waiting.push(joined(next, name));
        if (entries % SLICE === 0) await breathe();
      }
    } finally {
      opened.dir.closeSync();
      closeSync(opened.fd);
    }
  }
  return false;
}

type Opened = { readonly fd: number; readonly path: string; readonly dir: Dir };

/** Opens the folder itself and not what its name may mean by now; null when it is not where it was. */
function openWithin(root: Buffer, folder: Buffer): Opened | "too_deep" | null {
  let fd: number | null = null;
  try {
    fd = openSync(folder, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const path = `/proc/self/fd/${fd}`;
    const place = readlinkSync(path, "buffer");
    const isWithin = place.equals(root) || place.subarray(0, root.length + 1).equals(joined(root, Buffer.alloc(0)));
    const dir = isWithin ? opendirOf(path) : null;
    if (dir !== null) return { fd, path, dir };
    closeSync(fd);
    return null;
  } catch (cause) {
    if (fd !== null) closeSync(fd);
    return codeOf(cause) === "ENAMETOOLONG" ? "too_deep" : null;
  }
}

/** Every byte of a name is one character of it. */
const AS_BYTES = { encoding: "latin1" } as const;

function opendirOf(path: string): Dir {
  try {
    return opendirSync(path, AS_BYTES);
  } catch (cause) {
    if (codeOf(cause) !== "EACCES") throw cause;
    // It is the owner's like all that the program makes; closed, it could hold any amount.
    chmodSync(path, 0o700);
    return opendirSync(path, AS_BYTES);
  }
}

function lstatOr(path: Buffer): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

const joined = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, SLASH, name]);
const SLASH = Buffer.from("/");
const codeOf = (cause: unknown): unknown => (cause as NodeJS.ErrnoException).code;
