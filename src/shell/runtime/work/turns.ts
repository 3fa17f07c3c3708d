import { admitted, type Claim, type PoolLimits } from "#work";

/** So many at once, none that conflicts with another, the others in the order they came. [PAR-01] [PAR-02] [PAR-03] */
export type Turns = {
  /** Settles when this piece of work is over, or when everything is closed before its turn: then it never begins. */
  add(claim: Claim, piece: (place: Place) => Promise<void>): Promise<void>;
  close(): void;
};

/** The place of one piece of work among those that run at once, for as long as it takes. */
export type Place = {
  /**
   * Gives the place back until it goes on. What it has begun to change stays its own: nothing that conflicts with it
   * begins meanwhile.
   */
  rest(hold: "begun" | "unbegun"): void;
  /** Settles when it has a place again; whoever has one has it at once. */
  goOn(): Promise<void>;
};

type Waiting = { readonly claim: Claim; readonly begin: (held: Claim) => void; readonly drop: () => void };
type Line = {
  readonly running: Set<Claim>;
  readonly resting: Set<Claim>;
  /** Those that had begun come first, in the order they came back. */
  readonly back: Waiting[];
  readonly waiting: Waiting[];
  next(): void;
};

export function createTurns(limits: PoolLimits): Turns {
  let isClosed = false;
  const line: Line = { running: new Set(), resting: new Set(), back: [], waiting: [], next: () => {} };
  line.next = () => {
    if (isClosed) return;
    const inLine = [...line.back, ...line.waiting];
    const waiting = inLine.map(({ claim }) => claim);
    const places = admitted({ running: [...line.running], resting: [...line.resting], waiting, limits });
    for (const one of places.flatMap((place) => inLine[place] ?? [])) {
      leave(line, one);
      // Each piece holds a claim of its own, also where two say the same.
      const held = { ...one.claim };
      line.running.add(held);
      one.begin(held);
    }
  };
  return {
    add: (claim, piece) =>
      new Promise((resolve, reject) => {
        const begin = (held: Claim): void => {
          const { place, end } = createPlace(line, { claim, held });
          // A piece that throws before it waits for anything gives its place back like any other.
          const over = Promise.resolve().then(() => piece(place));
          void over.then(resolve, reject).finally(end);
        };
        if (isClosed) return resolve();
        line.waiting.push({ claim, begin, drop: resolve });
        line.next();
      }),
    close() {
      isClosed = true;
      for (const { drop } of line.waiting) drop();
    },
  };
}

function leave({ back, waiting }: Line, one: Waiting): void {
  for (const queue of [back, waiting]) if (queue.includes(one)) queue.splice(queue.indexOf(one), 1);
}

type Begun = { readonly claim: Claim; readonly held: Claim };

function createPlace(line: Line, { claim, held }: Begun): { readonly place: Place; readonly end: () => void } {
  let slot: Claim | null = held;
  let kept: Claim | null = null;
  let coming: Promise<void> | null = null;
  let asked: Waiting | null = null;
  const place: Place = {
    rest(hold) {
      if (slot === null) return;
      line.running.delete(slot);
      slot = null;
      kept ??= hold === "begun" ? { ...claim } : null;
      if (kept !== null) line.resting.add(kept);
      line.next();
    },
    goOn() {
      if (slot !== null) return Promise.resolve();
      if (coming !== null) return coming;
      const { promise, resolve } = Promise.withResolvers<void>();
      coming = promise;
      const begin = (again: Claim): void => {
        [slot, coming, asked] = [again, null, null];
        resolve();
      };
      // INVARIANT: what it holds already it does not wait for, or it would wait for itself.
      asked = { claim: kept === null ? claim : { ...claim, writes: [], repositories: [] }, begin, drop: () => {} };
      (kept === null ? line.waiting : line.back).push(asked);
      line.next();
      return promise;
    },
  };
  const end = (): void => {
    if (asked !== null) leave(line, asked);
    for (const one of [slot, kept]) {
      if (one === null) continue;
      line.running.delete(one);
      line.resting.delete(one);
    }
    line.next();
  };
  return { place, end };
}
