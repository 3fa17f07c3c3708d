import { gateSchemas } from "#model";
import { entropyOf, hasGithubChecksum } from "./checksums.ts";
import { sweep, validatorKind, type Finding } from "./validator.ts";

/** Keys by the form their issuers give them; what could be an ordinary word must also look random or pass its checksum. */
export const secretsValidator = validatorKind({
  schema: gateSchemas.secrets,
  takes: "on_fail (exception or fix)",
  create: ({ on_fail: onFail = "fix" }) => sweep({ find: findSecrets, onFail, what: "Secrets" }),
});

type Form = { readonly kind: string; readonly pattern: RegExp; readonly accept?: (found: string) => boolean };

const isRandom = (text: string): boolean => entropyOf(text) >= 3.2;
const afterPrefix = (text: string): string => text.slice(text.lastIndexOf("_") + 1);

const FORMS: readonly Form[] = [
  { kind: "aws key", pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/g, accept: isRandom },
  {
    kind: "github token",
    pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36}(?![A-Za-z0-9])/g,
    accept: (found) => hasGithubChecksum(found) || isRandom(afterPrefix(found)),
  },
  { kind: "github token", pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}/g },
  {
    kind: "gitlab token",
    pattern: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,64}/g,
    accept: (found) => isRandom(found.slice(6)),
  },
  {
    kind: "npm token",
    pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/g,
    accept: (found) => isRandom(afterPrefix(found)),
  },
  {
    kind: "slack token",
    pattern: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,200}/g,
    accept: (found) => /\d/.test(found),
  },
  { kind: "google key", pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g, accept: isRandom },
  {
    kind: "stripe key",
    pattern: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,200}/g,
    accept: (found) => isRandom(afterPrefix(found)),
  },
  {
    kind: "model key",
    pattern: /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,300}/g,
    accept: (found) => /\d/.test(found) && isRandom(found.slice(3)),
  },
  {
    kind: "session token",
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,2048}/g,
  },
];

/** `password = hunter2hunter2!`: a name that says what it is, and behind it something that is no word. */
const ASSIGNED =
  /(?<![A-Za-z0-9])(?:api[_-]?key|secret|passwort|password|passwd|access[_-]?token|auth[_-]?token|client[_-]?secret)["']?\s{0,3}[:=]\s{0,3}["']?([^\s"',;]{12,200})/gi;

export function findSecrets(text: string): readonly Finding[] {
  const byForm = FORMS.flatMap(({ kind, pattern, accept = () => true }) => {
    const found: Finding[] = [];
    for (const match of text.matchAll(pattern)) {
      if (accept(match[0])) found.push({ kind, start: match.index, end: match.index + match[0].length });
    }
    return found;
  });
  return [...findPrivateKeys(text), ...byForm, ...findAssigned(text)];
}

/** From its first line to its last; one without a last line goes on to the end of the text. */
function findPrivateKeys(text: string): readonly Finding[] {
  const found: Finding[] = [];
  for (let at = 0; at < text.length;) {
    const begin = PRIVATE_KEY.exec(text.slice(at));
    if (begin === null) break;
    const start = at + begin.index;
    const last = text.indexOf("-----END", start);
    const end = last === -1 ? text.length : endOfLine(text, last);
    found.push({ kind: "private key", start, end });
    at = end;
  }
  return found;
}
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/;

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

function findAssigned(text: string): readonly Finding[] {
  const found: Finding[] = [];
  for (const match of text.matchAll(ASSIGNED)) {
    const value = match[1] ?? "";
    const end = match.index + match[0].length;
    const isKey = /\d/.test(value) && /[A-Za-z]/.test(value) && isRandom(value) && !REFERENCE.test(value);
    if (isKey) found.push({ kind: "password", start: end - value.length, end });
  }
  return found;
}
/** A reference to a secret is how it should be written. */
const REFERENCE = /^(?:\$\{|\{\{|<|ref:|process\.env|os\.environ|vault:|\[REDACTED)/i;
