/** A text as a detector reads it, with the way back to where each character stood. */
export type Folded = { readonly text: string; readonly at: (index: number) => number };

const FOREIGN = /[\u0080-\uFFFF]/;

/**
 * Reads wide, Arabic and Indic digits, other dashes and spaces as the plain ones, and leaves out what does not show.
 * Every other character keeps its place. Text without any of them is returned as it is.
 */
export function foldForNumbers(text: string): Folded {
  if (!FOREIGN.test(text)) return { text, at: (index) => index };
  const places: number[] = [];
  const parts: string[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const unit = plainUnit(text.charCodeAt(index));
    if (unit === null) continue;
    parts.push(String.fromCharCode(unit));
    places.push(index);
  }
  places.push(text.length);
  return { text: parts.join(""), at: (index) => places[index] ?? text.length };
}

function plainUnit(unit: number): number | null {
  if (unit < 0x80) return unit;
  if (isHidden(unit)) return null;
  for (const zero of ZEROS) if (unit >= zero && unit <= zero + 9) return 0x30 + unit - zero;
  if (unit >= 0xff01 && unit <= 0xff5e) return unit - 0xfee0;
  if ((unit >= 0x2010 && unit <= 0x2015) || unit === 0x2212) return 0x2d;
  if (unit === 0xa0 || unit === 0x3000 || unit === 0x202f || (unit >= 0x2000 && unit <= 0x200a)) return 0x20;
  return unit;
}
const ZEROS = [0x0660, 0x06f0, 0x0966, 0xff10];

// Characters that show nothing: whoever puts them between two digits wants to be misread.
const isHidden = (unit: number): boolean =>
  unit === 0xad ||
  unit === 0x34f ||
  unit === 0x61c ||
  (unit >= 0x180b && unit <= 0x180f) ||
  (unit >= 0x200b && unit <= 0x200f) ||
  (unit >= 0x202a && unit <= 0x202e) ||
  (unit >= 0x2060 && unit <= 0x206f) ||
  (unit >= 0xfe00 && unit <= 0xfe0f) ||
  unit === 0xfeff;

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
