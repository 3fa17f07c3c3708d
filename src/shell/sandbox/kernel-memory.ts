import { readFileSync, readlinkSync, statfsSync, statSync } from "node:fs";

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
