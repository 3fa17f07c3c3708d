/** Runs one piece of work at a time, in the order in which they were asked for. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

/** Each piece begins when the one before it has ended, however it ended; each caller gets its own outcome. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
