/**
 * How deep an exhaustive test goes: a sample of its cases in `npm test` and `npm run check`, every case in
 * `npm run soak`, by the same code. `scripts/soak.ts` runs each test file that imports this one.
 */
export const DEPTH_VARIABLE = "TEST_DEPTH";
export const EVERY_CASE = "every";

const isExhaustive = process.env[DEPTH_VARIABLE] === EVERY_CASE;

/** A number of rounds, hours or kills. */
export function depth({ sample, every }: { readonly sample: number; readonly every: number }): number {
  return isExhaustive ? every : sample;
}

/**
 * About one in `oneIn` cases, always the same ones, with the first and the last. They are scattered: at even distances
 * a sample could miss each case at a boundary, such as the entries next to a checkpoint.
 */
export function sampleOf<T>(cases: Iterable<T>, oneIn: number): readonly T[] {
  const all = [...cases];
  if (isExhaustive) return all;
  return all.filter((_, index) => index === 0 || index === all.length - 1 || scatter(index) % oneIn === 0);
}

/** The finalizer of MurmurHash3: neighbouring numbers give unrelated ones. */
function scatter(index: number): number {
  let hash = Math.imul(index ^ (index >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
