/** An answer of 2,000 characters that stops after its beginning, until a test lets it go on. */
import type { Said } from "./loopback-model.ts";

export type SlowAnswer = {
  readonly words: string;
  readonly said: Said;
  goOn(): void;
  /** Whether the model was let on. */
  wentOn(): boolean;
};

export function createSlowAnswer(): SlowAnswer {
  const words = Array.from({ length: 300 }, (_none, at) => `word ${at} `)
    .join("")
    .slice(0, 2000)
    .trim();
  const { promise: until, resolve } = Promise.withResolvers<void>();
  let hasGoneOn = false;
  return {
    words,
    said: { content: words, hold: { afterChars: 600, until } },
    goOn: () => {
      hasGoneOn = true;
      resolve();
    },
    wentOn: () => hasGoneOn,
  };
}
