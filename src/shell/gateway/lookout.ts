/** Looks for texts in what passes. Nothing of a text leaves before it is known that the text is not there. */
type Lookout = {
  /** What may go on; null when one of the texts was found, and then nothing goes on any more. */
  take(chunk: Uint8Array): Uint8Array | null;
  /** What was held back and may go on after all. */
  end(): Uint8Array;
};

export function createLookout(texts: readonly Uint8Array[]): Lookout {
  // The beginning of a text may be the end of what came so far.
  const heldBytes = Math.max(0, ...texts.map(({ length }) => length - 1));
  let held = Buffer.alloc(0);
  return {
    take(chunk) {
      const seen = Buffer.concat([held, chunk]);
      if (holdsAny(seen, texts)) return null;
      const free = Math.max(0, seen.length - heldBytes);
      held = seen.subarray(free);
      return seen.subarray(0, free);
    },
    end: () => held,
  };
}

export const holdsAny = (bytes: Buffer, texts: readonly Uint8Array[]): boolean =>
  texts.some((text) => bytes.indexOf(text) !== -1);
