import { gateSchemas, PII_KINDS } from "#model";
import { isIban, isLuhn } from "./checksums.ts";
import { foldForForms } from "./folded.ts";
import { sweep, validatorKind, type Finding } from "./validator.ts";

type Kind = (typeof PII_KINDS)[number];

/**
 * Personal data by its form: what has a checksum must pass it, and names a place before what has none; what has none must
 * be written as people write it.
 */
export const piiValidator = validatorKind({
  schema: gateSchemas.pii,
  takes: `on_fail (exception or fix) and kinds (a list of ${PII_KINDS.join(", ")})`,
  rewrites: true,
  create: ({ on_fail: onFail = "fix", kinds = PII_KINDS }) =>
    sweep({ find: (text) => findPii(text, kinds), onFail, what: "Personal data" }),
});

function findPii(text: string, kinds: readonly Kind[]): readonly Finding[] {
  const folded = foldForForms(text);
  return kinds
    .flatMap((kind) => FINDERS[kind](folded.text))
    .map(({ kind, start, end }) => ({ kind, start: folded.at(start), end: folded.at(end) }));
}

const FINDERS: { readonly [K in Kind]: (text: string) => readonly Finding[] } = {
  email: findEmails,
  phone: findPhones,
  card: findCards,
  iban: findIbans,
  ssn: (text) => matches(text, { kind: "ssn", pattern: SSN, accept: () => true }),
};

/** From every @ outward: no pattern tries the same letters twice. */
function findEmails(text: string): readonly Finding[] {
  const found: Finding[] = [];
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (at - start < LOCAL_MAX && LOCAL.test(text.charAt(start - 1))) start -= 1;
    let end = at + 1;
    while (end - at <= DOMAIN_MAX && DOMAIN.test(text.charAt(end))) end += 1;
    while (end > at + 1 && !/[\p{L}\p{N}]/u.test(text.charAt(end - 1))) end -= 1;
    const domain = text.slice(at + 1, end);
    if (start < at && /^(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}$/u.test(domain)) found.push({ kind: "email", start, end });
  }
  return found;
}
const LOCAL = /[\p{L}\p{N}._%+-]/u;
const DOMAIN = /[\p{L}\p{N}.-]/u;
const LOCAL_MAX = 64;
const DOMAIN_MAX = 255;

type Search = { readonly kind: Kind; readonly pattern: RegExp; readonly accept: (found: string) => boolean };

function matches(text: string, { kind, pattern, accept }: Search): readonly Finding[] {
  const found: Finding[] = [];
  for (const match of text.matchAll(pattern)) {
    if (accept(match[0])) found.push({ kind, start: match.index, end: match.index + match[0].length });
  }
  return found;
}

const digitsOf = (text: string): string => text.replaceAll(/\D/g, "");

const SSN = /(?<![\w-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-])/g;

const CARD = /(?<![\w.-])[2-6]\d{3}(?:[ -]?\d){8,15}(?![\w-])/g;

function findCards(text: string): readonly Finding[] {
  return matches(text, {
    kind: "card",
    pattern: CARD,
    accept(found) {
      const digits = digitsOf(found);
      return digits.length >= 13 && new Set(digits).size > 1 && isLuhn(digits);
    },
  });
}

const IBAN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])/g;

/** A run that is longer than the number, because words follow it, is tried shorter: countries have one length each. */
function findIbans(text: string): readonly Finding[] {
  const found: Finding[] = [];
  for (const match of text.matchAll(IBAN)) {
    const run = match[0];
    const length = IBAN_CHARS[run.slice(0, 2).toUpperCase()];
    const end = length === undefined ? run.length : endAfter(run, length);
    const compact = run.slice(0, end).replaceAll(/[ -]/g, "").toUpperCase();
    const isWhole = length === undefined || compact.length === length;
    if (isWhole && isIban(compact)) found.push({ kind: "iban", start: match.index, end: match.index + end });
  }
  return found;
}

function endAfter(run: string, characters: number): number {
  let seen = 0;
  for (const [index, character] of [...run].entries()) {
    if (/[A-Za-z0-9]/.test(character)) seen += 1;
    if (seen === characters) return index + 1;
  }
  return run.length;
}

const IBAN_CHARS: { readonly [country: string]: number | undefined } = {
  AT: 20,
  BE: 16,
  BG: 22,
  CH: 21,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  EE: 20,
  ES: 24,
  FI: 18,
  FR: 27,
  GB: 22,
  GR: 27,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IS: 26,
  IT: 27,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  MC: 27,
  MT: 31,
  NL: 18,
  NO: 15,
  PL: 28,
  PT: 25,
  RO: 24,
  RS: 22,
  SA: 24,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  TR: 26,
  UA: 29,
};

// International with + or 00; North American with its three groups; national with its leading zero and groups.
const PHONES: readonly { readonly pattern: RegExp; readonly digits: readonly [number, number] }[] = [
  { pattern: /(?<![\w+])(?:\+|00(?=[1-9]))\d(?:[ ./-]?\(?\d\)?){7,14}(?!\w)/g, digits: [9, 17] },
  {
    pattern: /(?<![\w.-])(?:1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-. ])\d{3}[-. ]\d{4}(?![\w-]|\.\d)/g,
    digits: [10, 11],
  },
  { pattern: /(?<![\w.,:-])\(?0[1-9]\d{0,3}\)?(?:[ /-]{1,3}\d{2,8}){1,5}(?![\w-]|[.,:]\d)/g, digits: [9, 13] },
];

function findPhones(text: string): readonly Finding[] {
  return PHONES.flatMap(({ pattern, digits: [least, most] }) =>
    matches(text, {
      kind: "phone",
      pattern,
      accept(found) {
        const count = digitsOf(found).length;
        return count >= least && count <= most && !DATE.test(found);
      },
    }),
  );
}
const DATE = /^0\d[ /-]\d{2}[ /-](?:19|20)\d{2}(?:\D|$)/;
