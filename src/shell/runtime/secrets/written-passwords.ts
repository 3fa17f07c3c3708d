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

/**
 * Credentials by the form their issuers give them, as far as the rules of secretlint do not know them. A pattern has a
 * bounded length everywhere, so that no text makes it try for long.
 */
type SecretForm = {
  readonly kind: string;
  readonly pattern: RegExp;
  /** Whether the match, or its first group, is the credential it looks like. */
  readonly accept?: (value: string) => boolean;
};

/** Bits per character: keys look random, words and placeholders do not. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

export const isRandom = (text: string): boolean => entropyOf(text) >= 3.2;
const hasDigit = (text: string): boolean => /\d/.test(text);
const isKey = (text: string): boolean => hasDigit(text) && /[A-Za-z]/.test(text) && isRandom(text);

/** A token as headers and links carry it, which no word and no placeholder is. */
const isToken = (text: string): boolean =>
  isRandom(text) && (hasDigit(text) || /[a-z][A-Z]/.test(text)) && !isReference(text);

/** A reference to a secret is how it should be written. */
const isReference = (text: string): boolean => REFERENCE.test(text);
const REFERENCE =
  /^(?:[$%][A-Za-z_({]|\{|<|\[|\*{3}|\.{3}|x{4}|ref:|vault:|env[.:]|process\.|os\.|your[_-]|my[_-]|example|placeholder|redacted)/i;

export const SECRET_FORMS: readonly SecretForm[] = [
  {
    kind: "AWS key",
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g,
    accept: isRandom,
  },
  { kind: "Slack token", pattern: /(?<![A-Za-z0-9])xox[es](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}/g, accept: hasDigit },
  { kind: "Google API key", pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g, accept: isRandom },
  {
    kind: "Google OAuth secret",
    pattern: /(?<![A-Za-z0-9])GOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])/g,
    accept: isRandom,
  },
  {
    kind: "Stripe key",
    pattern: /(?<![A-Za-z0-9])(?:whsec_|[rs]k_(?:live|test)_)([A-Za-z0-9]{16,200})/g,
    accept: isRandom,
  },
  { kind: "model provider key", pattern: /(?<![A-Za-z0-9])sk-([A-Za-z0-9_-]{20,300})/g, accept: isKey },
  {
    kind: "session token",
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,2048}/g,
  },
  {
    kind: "Telegram bot token",
    pattern: /(?<![A-Za-z0-9])[0-9]{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g,
    accept: (value) => isRandom(value.slice(value.indexOf(":") + 1)),
  },
  {
    kind: "Discord bot token",
    pattern: /(?<![\w.-])[MNO][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])/g,
    accept: isKey,
  },
  { kind: "Tavily key", pattern: /(?<![A-Za-z0-9])tvly-([A-Za-z0-9_-]{16,100})/g, accept: isRandom },
  { kind: "DigitalOcean token", pattern: /(?<![A-Za-z0-9])do[opr]_v1_([a-f0-9]{64})(?![a-f0-9])/g, accept: isRandom },
  { kind: "PyPI token", pattern: /(?<![A-Za-z0-9])pypi-([A-Za-z0-9_-]{50,500})/g, accept: isKey },
  { kind: "age key", pattern: /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/gi },
  {
    kind: "Azure storage key",
    pattern: /\bAccountKey\s{0,3}=\s{0,3}([A-Za-z0-9+/]{40,120}={0,2})/gi,
    accept: isRandom,
  },
  {
    kind: "Azure access key",
    pattern: /\bSharedAccess(?:Key|Signature)\s{0,3}=\s{0,3}([^\s;"']{16,400})/gi,
    accept: isRandom,
  },
  { kind: "Twilio key", pattern: /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/g, accept: isRandom },
  {
    kind: "Doppler token",
    pattern:
      /(?<![A-Za-z0-9])dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?([A-Za-z0-9]{40,44})(?![A-Za-z0-9])/g,
    accept: isRandom,
  },
  { kind: "Hugging Face token", pattern: /(?<![A-Za-z0-9])hf_([A-Za-z0-9]{30,40})(?![A-Za-z0-9])/g, accept: isRandom },
  { kind: "HashiCorp Vault token", pattern: /(?<![A-Za-z0-9])hv[sbr]\.([A-Za-z0-9_-]{20,300})/g, accept: isKey },
  {
    kind: "Notion token",
    pattern: /(?<![A-Za-z0-9])(?:ntn_|secret_)([A-Za-z0-9]{40,60})(?![A-Za-z0-9])/g,
    accept: isKey,
  },
  { kind: "Mailgun key", pattern: /(?<![A-Za-z0-9])key-([0-9a-f]{32})(?![A-Za-z0-9])/g, accept: isRandom },
  { kind: "Mailchimp key", pattern: /(?<![A-Za-z0-9])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])/g, accept: isRandom },
  {
    kind: "password in a header",
    pattern:
      /\bauthori[sz]ation["']?\s{0,3}[:=]\s{0,3}["']?(?:basic|bearer|token|apikey)\s{1,3}([A-Za-z0-9._~+/=-]{8,4096})/gi,
    accept: (value) => !isReference(value) && (hasDigit(value) || /[a-z][A-Z]/.test(value) || value.endsWith("=")),
  },
  { kind: "bearer token", pattern: /\bbearer\s{1,3}([A-Za-z0-9._~+/=-]{20,4096})/gi, accept: isToken },
];

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9]:/;

type Span = { readonly start: number; readonly end: number };

/** From its first line to its last; one without a last line goes on to the end of the text. */
export function findPrivateKeys(text: string): readonly Span[] {
  const found: Span[] = [];
  for (let at = 0; at < text.length;) {
    const begin = PRIVATE_KEY.exec(text.slice(at));
    if (begin === null) break;
    const start = at + begin.index;
    const last = text.indexOf("-----END", start);
    const line = last === -1 ? -1 : text.indexOf("\n", last);
    const end = line === -1 ? text.length : line;
    found.push({ start, end });
    at = end;
  }
  return found;
}
