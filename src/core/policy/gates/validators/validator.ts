import { err, ok, type JsonValue, type Result } from "#base";
import type { SecretScan } from "#model";

/** What a validator makes of a text. The message names kinds of things, never the things themselves. */
export type Validation =
  | { readonly state: "passed" }
  | { readonly state: "failed"; readonly message: string }
  | { readonly state: "fixed"; readonly message: string; readonly text: string };

export type Validate = (text: string, facts: TextFacts) => Validation;
/** Facts about the text, gathered beforehand for a validator that asks for them; null for the others. */
export type TextFacts = { readonly secrets: SecretScan | null };
export type ValidatorConfig = { readonly [name: string]: JsonValue };

/** One entry of the registry. Building may be dear, so it happens on first use; judging the parameters never builds. */
export type ValidatorKind = {
  /** It may take out what it finds, and let the rest pass. */
  readonly rewrites?: true;
  /** The fact about a text that it cannot find out itself. */
  readonly needs?: keyof TextFacts;
  /** What is wrong with the parameters; null when nothing is. */
  readonly configProblem: (config: ValidatorConfig) => string | null;
  readonly build: (config: ValidatorConfig) => Validate;
};

/** A part of a text that must not pass, by its place. */
export type Finding = { readonly kind: string; readonly start: number; readonly end: number };

/** `exception` blocks; `fix` takes out what was found and goes on. */
type OnFail = "exception" | "fix";

type Parsed<S> = { readonly success: true; readonly data: S } | { readonly success: false };
type Rules<S> = {
  readonly schema: { safeParse(config: unknown): Parsed<S> };
  readonly takes: string;
  readonly needs?: keyof TextFacts;
  readonly rewrites?: true;
  readonly create: (settings: S) => Validate;
};

/** A kind whose parameters are read by a schema, for the judgement and for the building alike. */
export function validatorKind<S>({ schema, takes, create, ...rest }: Rules<S>): ValidatorKind {
  const read = (config: ValidatorConfig): Result<S, string> => {
    const parsed = schema.safeParse(config);
    return parsed.success ? ok(parsed.data) : err(takes);
  };
  return {
    ...rest,
    configProblem(config) {
      const settings = read(config);
      return settings.ok ? null : settings.error;
    },
    build(config) {
      const settings = read(config);
      // Parameters nobody can read make a check that lets nothing pass.
      return settings.ok ? create(settings.value) : () => ({ state: "failed", message: settings.error });
    },
  };
}

type Sweep = { readonly find: (text: string) => readonly Finding[]; readonly onFail: OnFail; readonly what: string };

/** A check that looks for things by their place, and can take them out. */
export function sweep({ find, onFail, what }: Sweep): Validate {
  return (text) => judgeFindings(text, { found: find(text), onFail, what });
}

type Findings = { readonly found: readonly Finding[]; readonly onFail: OnFail; readonly what: string };

export function judgeFindings(text: string, { found, onFail, what }: Findings): Validation {
  const all = merged(found);
  if (all.length === 0) return { state: "passed" };
  const kinds = [...new Set(all.map(({ kind }) => kind))].toSorted().join(", ");
  const message = `${what}: ${kinds}`;
  return onFail === "exception" ? { state: "failed", message } : { state: "fixed", message, text: redact(text, all) };
}

/** In order, and one for parts that overlap: the first kind of a place names it. */
function merged(findings: readonly Finding[]): readonly Finding[] {
  const all: Finding[] = [];
  for (const next of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = all.at(-1);
    if (last === undefined || next.start >= last.end) all.push(next);
    else all[all.length - 1] = { ...last, end: Math.max(last.end, next.end) };
  }
  return all;
}

function redact(text: string, findings: readonly Finding[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { kind, start, end } of findings) {
    parts.push(text.slice(at, start), `[REDACTED ${kind}]`);
    at = end;
  }
  return parts.join("") + text.slice(at);
}
