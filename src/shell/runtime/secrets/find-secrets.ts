import { err, LIMITS, ok } from "#base";
import type { SecretFinding } from "#model";
import { foldForForms } from "#policy";
import type { FindSecrets } from "#ports";
import { findPrivateKeys, isRandom, SECRET_FORMS, findWrittenPasswords } from "./written-passwords.ts";

/**
 * The rules of secretlint that are used, by what they find. Left out are those that read files or have a stricter twin in
 * our own table, and `filter-comments`: with it a comment above a token would switch the search off.
 */
export const SECRETLINT_RULES: { readonly [rule: string]: string } = {
  "1password": "1Password token",
  anthropic: "Anthropic key",
  aws: "AWS key",
  cloudflare: "Cloudflare token",
  databricks: "Databricks token",
  docker: "Docker token",
  figma: "Figma token",
  github: "GitHub token",
  gitlab: "GitLab token",
  grafana: "Grafana token",
  groq: "Groq key",
  "hashicorp-vault": "HashiCorp Vault token",
  huggingface: "Hugging Face token",
  linear: "Linear key",
  notion: "Notion token",
  npm: "npm token",
  openai: "OpenAI key",
  sendgrid: "SendGrid key",
  shopify: "Shopify key",
  slack: "Slack token",
  stripe: "Stripe key",
  tailscale: "Tailscale key",
  vercel: "Vercel token",
};

type Report = { readonly message: { readonly props?: { readonly [name: string]: unknown } }; readonly range: unknown };
type Rule = {
  readonly meta: { readonly id: string };
  create(context: object, options: object): { file(source: object): unknown };
};
type Search = (text: string) => readonly SecretFinding[];

/**
 * The one search for passwords and keys, for every way in. Its answer is a fact about a text: what it means is decided by
 * whoever stores the text. A text that is too long, or a search that throws, is an answer of its own and never "nothing".
 */
export function createSecretFinder(load: () => Promise<unknown> = loadPreset): FindSecrets {
  let loading: Promise<Search> | null = null;
  return async (text) => {
    if (text.length > LIMITS.secretScanChars) return err("too_long");
    try {
      loading ??= load().then(searchWith);
      const search = await loading;
      return ok(searchAll(text, search));
    } catch {
      // Tried again with the next text: a file that could not be read may be there then.
      loading = null;
      return err("failed");
    }
  };
}

/** One for the whole process, so that the rules are loaded once. */
export const findSecrets = createSecretFinder();

/** Loaded with the first text and not at a start: most verbs of the terminal store none. */
function loadPreset(): Promise<unknown> {
  return import("@secretlint/secretlint-rule-preset-recommend");
}

const RULE_ID = "@secretlint/secretlint-rule-";

function searchWith(loaded: unknown): Search {
  const { rules } = loaded as { readonly rules: readonly Rule[] };
  const used = Object.entries(SECRETLINT_RULES).map(([name, kind]) => {
    const rule = rules.find(({ meta }) => meta.id === `${RULE_ID}${name}`);
    if (rule === undefined) throw new Error(`secretlint has no rule ${name}`);
    return { kind, rule };
  });
  return (text) => used.flatMap(({ kind, rule }) => runRule(text, { kind, rule }));
}

type Used = { readonly kind: string; readonly rule: Rule };

/** A rule reports through the context it is given. Its ranges are not all right, so the value itself is looked up. */
function runRule(text: string, { kind, rule }: Used): readonly SecretFinding[] {
  const found: SecretFinding[] = [];
  const context = {
    sharedOptions: {},
    createTranslator: () => (_id: string, props: Report["message"]["props"]) => ({ props }),
    ignore: () => {},
    report({ message, range }: Report) {
      const from = Array.isArray(range) && typeof range[0] === "number" ? range[0] : 0;
      const values = Object.values(message.props ?? {}).filter((value) => typeof value === "string");
      const value = values.find((one) => text.indexOf(one, from) !== -1);
      const start = value === undefined ? from : text.indexOf(value, from);
      const end = value === undefined ? text.length : start + value.length;
      if (isRandom(text.slice(start, end))) found.push({ kind, start, end });
    },
  };
  const done: unknown = rule.create(context, {}).file({ content: text, filePath: "", ext: "", contentType: "text" });
  if (done instanceof Promise) throw new Error(`the rule for ${kind} does not answer at once`);
  return found;
}

function searchAll(text: string, search: Search): readonly SecretFinding[] {
  const folded = foldForForms(text);
  const found = [...findIn(folded.text, search), ...findWrittenPasswords(folded.text), ...findPrivate(folded.text)];
  for (const joined of joinedLines(folded.text))
    for (const { kind, start, end } of findIn(joined.text, search))
      found.push({ kind, start: joined.at(start), end: joined.at(end - 1) + 1 });
  return found.map(({ kind, start, end }) => ({ kind, start: folded.at(start), end: folded.at(end) }));
}

const findPrivate = (text: string): readonly SecretFinding[] =>
  findPrivateKeys(text).map((span) => ({ kind: "private key", ...span }));

function findIn(text: string, search: Search): readonly SecretFinding[] {
  const found = [...search(text)];
  for (const { kind, pattern, accept = () => true } of SECRET_FORMS)
    for (const match of text.matchAll(pattern))
      if (accept(match[1] ?? match[0])) found.push({ kind, start: match.index, end: match.index + match[0].length });
  return found;
}

/** A key has far fewer lines; joining every line of a long text would only cost time. */
const BREAKS_MAX = 10_000;

function* take<T>(all: Iterable<T>): Generator<T> {
  let count = 0;
  for (const one of all) {
    if (count >= BREAKS_MAX) return;
    count += 1;
    yield one;
  }
}

type Joined = { readonly text: string; readonly at: (index: number) => number };

const BREAK = /(?<=[\w+/=.:-])[ \t]{0,4}\r?\n[ \t>]{0,8}(?=[\w+/=.:-])/g;

/**
 * A key that was wrapped stands on several lines. Read again are all lines as one, for a key of many lines, and each line
 * with the next, for one that ends where the next line begins.
 */
function joinedLines(text: string): readonly Joined[] {
  const breaks = [...take(text.matchAll(BREAK))].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  if (breaks.length === 0) return [];
  const even = breaks.filter((_break, at) => at % 2 === 0);
  const odd = breaks.filter((_break, at) => at % 2 === 1);
  return (breaks.length === 1 ? [breaks] : [breaks, even, odd]).map((gone) => without(text, gone));
}

function without(text: string, gone: readonly { readonly start: number; readonly end: number }[]): Joined {
  const parts: string[] = [];
  /** Where each part begins, in the joined text and in the text. */
  const places: { readonly joined: number; readonly text: number }[] = [{ joined: 0, text: 0 }];
  let from = 0;
  let length = 0;
  for (const { start, end } of gone) {
    parts.push(text.slice(from, start));
    length += start - from;
    from = end;
    places.push({ joined: length, text: end });
  }
  parts.push(text.slice(from));
  const at = (index: number): number => {
    const place = places.findLast(({ joined }) => joined <= index) ?? { joined: 0, text: 0 };
    return place.text + index - place.joined;
  };
  return { text: parts.join(""), at };
}
