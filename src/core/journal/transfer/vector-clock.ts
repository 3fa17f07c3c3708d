type VectorClock = { readonly [hostId: string]: number };
type ClockOrder = "equal" | "before" | "after" | "concurrent";

/** How one clock stands to another; a host that is missing counts as zero. */
export function compareClocks(one: VectorClock, other: VectorClock): ClockOrder {
  const hosts = new Set([...Object.keys(one), ...Object.keys(other)]);
  let isAhead = false;
  let isBehind = false;
  for (const host of hosts) {
    const difference = counterOf(one, host) - counterOf(other, host);
    isAhead ||= difference > 0;
    isBehind ||= difference < 0;
  }
  if (isAhead && isBehind) return "concurrent";
  if (isAhead) return "after";
  return isBehind ? "before" : "equal";
}

/** The counter of a host, zero when the clock does not know it. */
export function counterOf(clock: VectorClock, host: string): number {
  return Object.hasOwn(clock, host) ? (clock[host] ?? 0) : 0;
}
