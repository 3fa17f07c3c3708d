/** The candidate that a mistyped name most likely meant, or null when none is close. */
export function nearestOf(name: string, candidates: readonly string[]): string | null {
  if (name.length > NAME_CHARS) return null;
  const reach = Math.max(1, Math.floor(name.length / 3));
  let best: string | null = null;
  let bestDistance = reach + 1;
  for (const candidate of candidates) {
    // The difference in length is the least it takes.
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** No key is longer; a longer name is not a typing error, and comparing it would cost time. */
const NAME_CHARS = 64;

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swap = swapped ? (beforeLast[j - 2] ?? Infinity) + 1 : Infinity;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost, swap));
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length] ?? 0;
}
