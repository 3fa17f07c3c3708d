/** What a piece of work would take hold of while it runs. Paths are resolved and absolute. */
export type Claim = {
  /** Whose work it is. */
  readonly scope: string;
  /** Places it may change. */
  readonly writes: readonly string[];
  /** Repositories it has a tree of its own of. */
  readonly repositories: readonly string[];
};

export type PoolLimits = { readonly perScope: number; readonly inTotal: number };
type Pool = {
  readonly running: readonly Claim[];
  /** What rests in the middle of its work: it is not counted, and nothing that conflicts with it begins. */
  readonly resting: readonly Claim[];
  /** In the order in which they came. */
  readonly waiting: readonly Claim[];
  readonly limits: PoolLimits;
};

/**
 * Which of those that wait may begin now, by their place in line. Nothing begins that conflicts with what runs or rests, or with
 * somebody before it in line: what came later never overtakes whoever it would keep waiting, so nobody waits for ever.
 * [PAR-01] [PAR-03]
 */
export function admitted({ running, resting, waiting, limits }: Pool): readonly number[] {
  const held = [...running, ...resting];
  const begun = [...running];
  const places: number[] = [];
  for (const [place, claim] of waiting.entries()) {
    if (begun.length >= limits.inTotal) break;
    const ofScope = begun.filter(({ scope }) => scope === claim.scope).length;
    if (ofScope < limits.perScope && !held.some((other) => conflicts(claim, other))) {
      places.push(place);
      begun.push(claim);
    }
    held.push(claim);
  }
  return places;
}

/**
 * Whether two pieces of work must not run at once: one may change what the other may change or takes its tree from. Two
 * trees of one repository do not meet.
 */
export function conflicts(one: Claim, other: Claim): boolean {
  return (
    overlap(one.writes, other.writes) ||
    overlap(one.writes, other.repositories) ||
    overlap(one.repositories, other.writes)
  );
}

const overlap = (places: readonly string[], others: readonly string[]): boolean =>
  places.some((place) => others.some((other) => isWithin(place, other) || isWithin(other, place)));

const isWithin = (path: string, place: string): boolean =>
  path === place || path.startsWith(place.endsWith("/") ? place : `${place}/`);
