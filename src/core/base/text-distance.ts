const WORD_CHARS_MAX = 64;

/** The candidate a person most likely meant by a mistyped word, or null when none is near enough to be worth saying. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const wanted = word.toLowerCase();
  if (wanted.length === 0 || wanted.length > WORD_CHARS_MAX) return null;
  let best: string | null = null;
  // A third of the letters may be wrong, at most three: beyond that a guess confuses more than it helps.
  let limit = Math.min(3, Math.max(1, Math.floor(wanted.length / 3)));
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) > limit) continue;
    const distance = textDistance(wanted, candidate.toLowerCase());
    if (distance > limit || (best !== null && distance === limit)) continue;
    best = candidate;
    limit = distance;
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other. */
function textDistance(from: string, to: string): number {
  let twoBack: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      // Before the first letter of a text there is none, and so none that is like a letter of the other.
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (twoBack[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    twoBack = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
