/** So many at once; the others in the order they came. */
export type Turns = {
  /** Settles when this piece of work is over. What is closed before its turn never begins. */
  add(piece: () => Promise<void>): Promise<void>;
  close(): void;
};

export function createTurns(most: number): Turns {
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  let isClosed = false;
  const next = (): void => {
    while (running < most) {
      const begin = isClosed ? undefined : waiting.shift();
      if (begin === undefined) return;
      running += 1;
      void begin().finally(() => {
        running -= 1;
        next();
      });
    }
  };
  return {
    add: (piece) =>
      new Promise((resolve, reject) => {
        waiting.push(() => piece().then(resolve, reject));
        next();
      }),
    close: () => void (isClosed = true),
  };
}
