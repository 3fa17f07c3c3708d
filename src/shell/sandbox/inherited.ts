import type { StdioOptions } from "node:child_process";
import { openSync, readdirSync, readFileSync } from "node:fs";

/** Open files that whoever started Silas left open for all its descendants, and something harmless to put over them. */
export type Inherited = { readonly numbers: readonly number[]; readonly nothing: number };

const O_CLOEXEC = 0o2_000_000;

/** Node opens everything for itself alone; what is open for descendants was there before it. */
export function findInherited(): Inherited {
  const numbers = readdirSync("/proc/self/fd")
    .map(Number)
    .filter((number) => number > 2 && isForDescendants(number));
  return { numbers, nothing: openSync("/dev/null", "r") };
}

/** The same list, with nothing in every place where a program would otherwise find a file of somebody else. */
export function covering(list: readonly ("ignore" | "pipe" | number)[], { numbers, nothing }: Inherited): StdioOptions {
  const last = Math.max(list.length - 1, ...numbers);
  return Array.from({ length: last + 1 }, (_, at) => list[at] ?? (numbers.includes(at) ? nothing : "ignore"));
}

function isForDescendants(number: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false;
  }
}
