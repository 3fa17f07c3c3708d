/** Looks for texts in what passes. Nothing of a text leaves before it is known that the text is not there. */
type Lookout = {
  /** What may go on; null when one of the texts was found, and then nothing goes on any more. */
  take(chunk: Uint8Array): Uint8Array | null;
  /** What was held back and may go on after all. */
  end(): Uint8Array;
};

export function createLookout(texts: readonly Uint8Array[]): Lookout {
  let held = Buffer.alloc(0);
  return {
    take(chunk) {
      const seen = Buffer.concat([held, chunk]);
      if (holdsAny(seen, texts)) return null;
      // Only an end that could be the beginning of a text waits, so that a stream is not delayed by the rest.
      const free = seen.length - Math.max(0, ...texts.map((text) => beginningBytes(seen, text)));
      held = seen.subarray(free);
      return seen.subarray(0, free);
    },
    end: () => held,
  };
}

/** How many of the last bytes are the first ones of a text. */
function beginningBytes(seen: Buffer, text: Uint8Array): number {
  const [first] = text;
  if (first === undefined) return 0;
  let at = seen.indexOf(first, Math.max(0, seen.length - text.length + 1));
  while (at !== -1 && !seen.subarray(at).equals(text.subarray(0, seen.length - at))) at = seen.indexOf(first, at + 1);
  return at === -1 ? 0 : seen.length - at;
}

export const holdsAny = (bytes: Buffer, texts: readonly Uint8Array[]): boolean =>
  texts.some((text) => bytes.indexOf(text) !== -1);
