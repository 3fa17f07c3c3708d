/** A text as a detector reads it, with the way back to where each character stood. */
type Folded = { readonly text: string; readonly at: (index: number) => number };

const FOREIGN = /[\u0080-\uFFFF]/;

/**
 * Reads wide, mathematical, Arabic and Indic letters and digits, other dashes and spaces as the plain ones, and leaves out
 * accents that stand alone and what does not show. Every other character keeps its place. Text without any of them is
 * returned as it is.
 */
export function foldForForms(text: string): Folded {
  if (!FOREIGN.test(text)) return { text, at: (index) => index };
  const places: number[] = [];
  const parts: string[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const point = text.codePointAt(index) ?? 0;
    const plain = plainPoint(point);
    for (let unit = 0; unit < plain.length; unit += 1) places.push(index + (plain.length === 2 ? unit : 0));
    parts.push(plain);
    if (point > 0xffff) index += 1;
  }
  places.push(text.length);
  return { text: parts.join(""), at: (index) => places[index] ?? text.length };
}

/** The character as a detector reads it; empty when it does not show. */
function plainPoint(point: number): string {
  if (point < 0x80) return String.fromCharCode(point);
  if (isHidden(point)) return "";
  for (const zero of ZEROS) if (point >= zero && point <= zero + 9) return String.fromCharCode(0x30 + point - zero);
  if (point >= 0xff01 && point <= 0xff5e) return String.fromCharCode(point - 0xfee0);
  if ((point >= 0x2010 && point <= 0x2015) || point === 0x2212) return "-";
  if (point === 0xa0 || point === 0x3000 || point === 0x202f || (point >= 0x2000 && point <= 0x200a)) return " ";
  const itself = String.fromCodePoint(point);
  if (point <= 0xffff) return itself;
  const compatible = itself.normalize("NFKC");
  return compatible.length === 1 && compatible < "\u0080" ? compatible : itself;
}
const ZEROS = [0x0660, 0x06f0, 0x0966, 0xff10];

// Characters that show nothing of their own: whoever puts them between two digits wants to be misread.
const isHidden = (point: number): boolean =>
  point === 0xad ||
  (point >= 0x300 && point <= 0x36f) ||
  point === 0x61c ||
  (point >= 0x180b && point <= 0x180f) ||
  (point >= 0x200b && point <= 0x200f) ||
  (point >= 0x202a && point <= 0x202e) ||
  (point >= 0x2060 && point <= 0x206f) ||
  (point >= 0xfe00 && point <= 0xfe0f) ||
  point === 0xfeff ||
  (point >= 0xe0000 && point <= 0xe01ef);

// Letters of other alphabets that look like Latin ones, as they are mixed into words that filters look for.
const LOOK_ALIKES = new Map<string, string>(
  Object.entries({
    а: "a",
    в: "b",
    е: "e",
    ё: "e",
    і: "i",
    ї: "i",
    ј: "j",
    к: "k",
    м: "m",
    н: "h",
    о: "o",
    р: "p",
    с: "c",
    т: "t",
    у: "y",
    х: "x",
    ѕ: "s",
    α: "a",
    β: "b",
    ε: "e",
    η: "n",
    ι: "i",
    κ: "k",
    ν: "v",
    ο: "o",
    ρ: "p",
    τ: "t",
    υ: "u",
    χ: "x",
    ı: "i",
    ł: "l",
    ø: "o",
  }),
);

/**
 * Words as a detector of phrases reads them: lower case, without accents, invisible characters and punctuation inside
 * words, look-alike letters as Latin ones, and one space wherever something else stood.
 */
export function foldForWords(text: string): string {
  const plain = text
    .normalize("NFKD")
    .replace(/[\p{Cf}\p{M}]/gu, "")
    .toLowerCase()
    .replace(/['’`]/g, "")
    .replace(/[\u0080-\uFFFF]/g, (letter) => LOOK_ALIKES.get(letter) ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return joinedLetters(plain);
}

/** `i g n o r e` is a word written apart: single letters in a row are read as one. */
function joinedLetters(words: string): string {
  return words.replace(/(?<![\p{L}\p{N}])(?:[a-z0-9] ){3,}[a-z0-9](?![\p{L}\p{N}])/gu, (run) =>
    run.replaceAll(" ", ""),
  );
}
