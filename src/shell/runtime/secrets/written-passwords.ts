import { isRandom, isReference, type SecretForm, type Span } from "./secret-forms.ts";

/**
 * Passwords by the words around them: `password = hunter2`, "my password is hunter2" and `https://me:hunter2@host`. The
 * words alone are ordinary; what follows has to look like a password and not like the next word of a sentence.
 */
const NAMES =
  "(?:[a-z0-9]{1,30}[_-]){0,4}(?:password|passwd|pwd|passwort|kennwort|passphrase|passcode|secret|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key|account[_-]?key|access[_-]?token|auth[_-]?token|api[_-]?token|refresh[_-]?token|client[_-]?secret)";

const ASSIGNED = new RegExp(
  `(?<![A-Za-z0-9])${NAMES}["'\`]?\\s{0,3}(?::|=|=>|:=)\\s{0,3}(["'\`]?)([^\\s"'\`,;]{4,200})`,
  "gi",
);

const SPOKEN =
  /(?<![A-Za-z0-9])(password|passwd|passphrase|passcode|passwort|kennwort|pin|pin-code)(?:\s{1,3}(?:for|to|of|at|on|in|für|fürs|zu|zum|zur|vom|von|bei|beim|im)\s[^.!?\n]{1,60}?)?\s{1,3}(is|was|are|will be|equals|ist|lautet|heißt|heisst|war|wäre)\s{0,3}(:?)\s{1,3}(?:now|still|jetzt|noch|currently|set to|always)?\s{0,3}(["'„“”‚‘’«»`]?)([^\s"'„“”‚‘’«»`]{4,200})/gi;

const IN_ADDRESS =
  /(?<![A-Za-z0-9])([a-z][a-z0-9+.-]{1,20}):\/\/([^\s:@/"'<>]{0,100}):([^\s@/"'<>]{3,200})@[^\s/"'<>]{1,200}/gi;

const trimmed = (value: string): string => value.replace(/[.,;:!?)\]}>]+$/, "");

export function findWrittenPasswords(text: string): readonly (Span & { readonly kind: string })[] {
  return [
    ...spans(text, { kind: "password", pattern: ASSIGNED, group: 2, accept: isAssigned }),
    ...spans(text, { kind: "password", pattern: SPOKEN, group: 5, accept: isSpoken }),
    ...spans(text, { kind: "password in an address", pattern: IN_ADDRESS, group: 3, accept: isPlaced }),
  ];
}

type Search = Pick<SecretForm, "kind" | "pattern"> & {
  readonly group: number;
  readonly accept: (value: string, match: RegExpMatchArray) => boolean;
};

function* spans(text: string, { kind, pattern, group, accept }: Search): Generator<Span & { readonly kind: string }> {
  for (const match of text.matchAll(pattern)) {
    const value = match[group] ?? "";
    if (!accept(value, match)) continue;
    const start = match.index + match[0].lastIndexOf(value);
    yield { kind, start, end: start + value.length };
  }
}

/** A name, a call or a path of a program: `password: string`, `password = form.password1`, `secret = load2()`. */
const isCode = (value: string): boolean => /[()[\]{}<>]|^[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+$/.test(value);
const isOrdinary = (value: string): boolean =>
  /^(?:pass(?:word|wd|phrase|code|wort)?|pwd|kennwort|string|secret|value|field|input|param|example|test|user|name|key|token|hash|sha|md|type|min|max|length|bytes?|bits?|null|none|true|false|undefined|changeme|utf|base)[\d_-]*$|^(?:big)?(?:u?int|float)\d+(?:clamped)?(?:array)?$/i.test(
    value,
  );

function isAssigned(value: string, [, quote = ""]: RegExpMatchArray): boolean {
  const bare = trimmed(value);
  const isMixed = /\d/.test(bare) && /[A-Za-z]/.test(bare);
  if (!isMixed || isReference(bare) || isOrdinary(bare) || isMeasure(bare)) return false;
  if (bare.length >= 12) return isRandom(bare) && (quote !== "" || !isCode(bare));
  return bare.length >= 6 && !isCode(bare);
}

/** `128-bit`, `12-character`, `30days`: a number with what it counts. */
const isMeasure = (value: string): boolean =>
  /^\d{1,4}(?:-[a-z]+|bits?|[mc]m|px|[kmg]b|ms|min|days?|weeks?|months?|years?|chars?|characters|digits?)?$/i.test(
    value,
  ) && !/^\d{4}$/.test(value);

const isSpoken = (value: string, [, noun = "", verb = "", colon = "", quote = ""]: RegExpMatchArray): boolean => {
  const bare = trimmed(value);
  if (bare.length < 4 || isReference(bare) || isOrdinary(bare)) return false;
  if (/^\d+$/.test(bare)) return true;
  if (/^pin/i.test(noun)) return false;
  if (isMeasure(bare) || /^\d{4}-\d{2}-\d{2}/.test(bare)) return false;
  // A word in quotes or after a colon is named as such, and so is what it "lautet"; else it is the next of a sentence.
  if (quote !== "" || colon !== "") return true;
  if (/^lautet$/i.test(verb) && !/^(?:anders|immer|folgender\w*|nicht|jetzt|noch)$/i.test(bare)) return true;
  return (
    (/\d/.test(bare) && /[A-Za-z]/.test(bare)) ||
    /[a-z][A-Z]/.test(bare) ||
    /[!@#$%^&*+=?~_]/.test(bare) ||
    (bare.length >= 20 && /^[A-Za-z-]+$/.test(bare))
  );
};

const PLACEHOLDER = /^(?:pass(?:word|wd|wort)?|pwd|secret|token|user(?:name)?|changeme|\d{1,5}|(.)\1*)$/i;
const isPlaced = (value: string): boolean => !isReference(value) && !PLACEHOLDER.test(value) && !/[${}]/.test(value);
