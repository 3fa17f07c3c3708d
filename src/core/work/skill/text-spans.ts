/**
 * Searches of untrusted text in linear time. A pattern such as `head[^;]*tail` runs from every head to the end of the text
 * when there is no tail, so heads and tails are found by themselves and put together here.
 */
export type Span = { readonly index: number; readonly end: number };

/** From a head to the last tail that follows it before a stop. A tail may itself begin with the stop. */
export type SpanForm = {
  readonly head: RegExp;
  /** Each is one character that ends the search. */
  readonly stop: RegExp;
  readonly tail: RegExp;
  /** Something that has to stand between head and tail. */
  readonly between?: RegExp;
};

export const matchesOf = (text: string, pattern: RegExp): readonly Span[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ index, end: index + found.length }));

/** One span for each head that has a tail; they may overlap. All four lists are walked once. */
export function spansOf(text: string, { head, stop, tail, between }: SpanForm): readonly Span[] {
  const tails = createWalk(matchesOf(text, tail));
  if (tails.isEmpty) return [];
  const stops = createWalk(matchesOf(text, stop));
  const needed = between === undefined ? null : createWalk(matchesOf(text, between));
  return matchesOf(text, head).flatMap(({ index, end }) => {
    const limit = stops.firstFrom(end)?.index ?? text.length;
    const last = tails.lastUpTo(limit);
    if (last === null || last.index < end) return [];
    if (needed !== null && (needed.lastUpTo(last.index - 1)?.index ?? -1) < end) return [];
    return [{ index, end: last.end }];
  });
}

/** Of overlapping spans the one that begins first, as a pattern of alternatives finds them; the earlier list wins a tie. */
export function leftmostOf(...lists: readonly (readonly Span[])[]): readonly Span[] {
  const chosen: Span[] = [];
  for (const span of lists.flat().toSorted((one, other) => one.index - other.index)) {
    if (span.index >= (chosen.at(-1)?.end ?? 0)) chosen.push(span);
  }
  return chosen;
}

/** Whether a position lies in one of the spans. Positions are asked in rising order. */
export function createCover(spans: readonly Span[]): (index: number) => boolean {
  const sorted = spans.toSorted((one, other) => one.index - other.index);
  let next = 0;
  let coveredTo = 0;
  return (index) => {
    for (let span = sorted[next]; span !== undefined && span.index <= index; span = sorted[next]) {
      coveredTo = Math.max(coveredTo, span.end);
      next += 1;
    }
    return index < coveredTo;
  };
}

/** The line of a position, counted from 1. */
export function createLineOf(text: string): (index: number) => number {
  const breaks = matchesOf(text, /\n/g).map(({ index }) => index);
  return (index) => countBefore(breaks, index) + 1;
}

/** How many of the rising positions lie before this one. */
export function countBefore(positions: readonly number[], index: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? index) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A sorted list that is only ever asked about later positions. */
function createWalk(spans: readonly Span[]) {
  let next = 0;
  return {
    isEmpty: spans.length === 0,
    firstFrom: (index: number): Span | null => {
      while ((spans[next]?.index ?? index) < index) next += 1;
      return spans[next] ?? null;
    },
    lastUpTo: (index: number): Span | null => {
      while ((spans[next]?.index ?? index + 1) <= index) next += 1;
      return spans[next - 1] ?? null;
    },
  };
}
