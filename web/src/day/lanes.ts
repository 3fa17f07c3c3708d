/** A stretch of a day in minutes from its midnight. */
export type Stretch = { readonly start: number; readonly end: number };
export type Placed<T extends Stretch> = T & { readonly lane: number; readonly lanes: number };

/** Puts stretches that overlap side by side; those that do not keep the whole width. */
export function placeInLanes<T extends Stretch>(stretches: readonly T[]): readonly Placed<T>[] {
  const sorted = stretches.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const placed: Placed<T>[] = [];
  let group: { readonly stretch: T; readonly lane: number }[] = [];
  let groupEnd = -Infinity;
  const closeGroup = (): void => {
    const lanes = Math.max(0, ...group.map(({ lane }) => lane)) + 1;
    placed.push(...group.map(({ stretch, lane }) => ({ ...stretch, lane, lanes })));
    group = [];
  };
  for (const stretch of sorted) {
    if (stretch.start >= groupEnd) closeGroup();
    const taken = new Set(group.filter((each) => each.stretch.end > stretch.start).map(({ lane }) => lane));
    let lane = 0;
    while (taken.has(lane)) lane += 1;
    group.push({ stretch, lane });
    groupEnd = Math.max(groupEnd, stretch.end);
  }
  closeGroup();
  return placed;
}

/** How tall an hour is drawn. */
export const HOUR_PX = 60;
const STEP = 15;
const DAY = 1440;

/** Moves a stretch by whole quarters of an hour, within the day and with its length kept. */
export function moveStretch({ start, end }: Stretch, byMinutes: number): Stretch {
  const shift = Math.min(Math.max(byMinutes, -start), DAY - end);
  return { start: start + shift, end: end + shift };
}

/** Changes the end of a stretch; it stays at least a quarter of an hour long and within the day. */
export function resizeStretch({ start, end }: Stretch, byMinutes: number): Stretch {
  return { start, end: Math.min(Math.max(end + byMinutes, start + STEP), Math.max(DAY, end)) };
}

export const snap = (minutes: number): number => Math.round(minutes / STEP) * STEP;
