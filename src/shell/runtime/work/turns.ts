import { admitted, type Claim, type PoolLimits } from "#work";

/** So many at once, none that conflicts with another, the others in the order they came. [PAR-01] [PAR-02] [PAR-03] */
export type Turns = {
  /** Settles when this piece of work is over. What is closed before its turn never begins. */
  add(claim: Claim, piece: () => Promise<void>): Promise<void>;
  close(): void;
};

type Waiting = { readonly claim: Claim; readonly begin: () => Promise<void> };

export function createTurns(limits: PoolLimits): Turns {
  const waiting: Waiting[] = [];
  const running = new Set<Claim>();
  let isClosed = false;
  const next = (): void => {
    if (isClosed) return;
    const places = admitted({ running: [...running], waiting: waiting.map(({ claim }) => claim), limits });
    const chosen = places.flatMap((place) => waiting[place] ?? []);
    for (const one of chosen) {
      waiting.splice(waiting.indexOf(one), 1);
      // Each piece holds a claim of its own, also where two say the same.
      const held = { ...one.claim };
      running.add(held);
      void one.begin().finally(() => {
        running.delete(held);
        next();
      });
    }
  };
  return {
    add: (claim, piece) =>
      new Promise((resolve, reject) => {
        // A piece that throws before it waits for anything gives its place back like any other.
        waiting.push({ claim, begin: () => Promise.resolve().then(piece).then(resolve, reject) });
        next();
      }),
    close: () => void (isClosed = true),
  };
}
