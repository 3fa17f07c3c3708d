/** So many at once; the others in the order they came. */
export type Turns = { take<T>(piece: () => Promise<T>): Promise<T> };

export function createTurns(most: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async take(piece) {
      if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await piece();
      } finally {
        // Handed on and not given back: whoever comes in this moment waits behind those that wait.
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
