/** One run of characters between spaces. Quoted ones are never read as anything but themselves. */
export type Word = {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Lower case, without punctuation at the end; empty for very long words. What begins with a quote matches nothing. */
  readonly plain: string;
};

/** What a row of words was recognised as: `count` words from where the match began. */
export type Match<V> = { readonly count: number; readonly value: V };

const WORD_CHARS_MAX = 120;
const CLOSING: { readonly [open: string]: string } = { '"': '"', "“": "”", "«": "»", "„": "“" };

/** The words of one line, in one pass: quoted text is one word with everything in it. */
export function splitWords(line: string): readonly Word[] {
  const words: Word[] = [];
  const unclosed = new Set<string>();
  const space = /\s+/g;
  const gap = /\s*/y;
  const skip = (from: number): number => {
    gap.lastIndex = from;
    gap.exec(line);
    return gap.lastIndex;
  };
  for (let start = skip(0); start < line.length;) {
    const quoteEnd = endOfQuote({ line, start, unclosed });
    space.lastIndex = quoteEnd ?? start;
    const end = space.exec(line)?.index ?? line.length;
    const text = line.slice(start, end);
    words.push({ start, end, text, plain: plainOf(text) });
    start = skip(end);
  }
  return words;
}

// A closing mark that was not found once is nowhere behind either; searching again would make long texts slow.
type QuotePlace = { readonly line: string; readonly start: number; readonly unclosed: Set<string> };

function endOfQuote({ line, start, unclosed }: QuotePlace): number | null {
  const closing = CLOSING[line.charAt(start)];
  if (closing === undefined || unclosed.has(closing)) return null;
  const end = line.indexOf(closing, start + 1);
  if (end !== -1) return end + 1;
  unclosed.add(closing);
  return null;
}

function plainOf(text: string): string {
  return text.length > WORD_CHARS_MAX ? "" : text.toLowerCase().replace(/[,;]+$/, "");
}
