/** So many at once; the others in the order they came. */
export type Turns = { take<T>(piece: () => Promise<T>): Promise<T> };

export function createTurns(most: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async take(piece) {
      if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      running += 1;
      try {
        return await piece();
      } finally {
        running -= 1;
        waiting.shift()?.();
      }
    },
  };
}
