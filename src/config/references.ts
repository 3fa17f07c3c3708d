import { err, ok, type Result } from "#base";
import type { Variables } from "./environment.ts";

type ReferenceError =
  | { readonly code: "unresolved_reference"; readonly variable: string }
  | { readonly code: "invalid_reference" };

const REFERENCE = /(\$?)\$\{([^}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** True when the whole text is one `${NAME}`. */
export function isReference(text: string): boolean {
  return /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(text);
}

/** The names of every `${NAME}` in a value; none in what is not text. */
export function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== "string") return [];
  const found = [...value.matchAll(REFERENCE)].filter(([, escape]) => escape !== "$");
  return found.map(([, , name = ""]) => name);
}

/** Puts variables in place of `${NAME}`; `$${NAME}` stays as `${NAME}`. An empty variable counts as not set. */
export function resolveReferences(text: string, env: Variables): Result<string, ReferenceError> {
  let error: ReferenceError | null = null;
  const resolved = text.replace(REFERENCE, (match, escape: string, name: string) => {
    if (escape === "$") return match.slice(1);
    const value = NAME.test(name) && Object.hasOwn(env, name) ? env[name] : undefined;
    if (!NAME.test(name)) error ??= { code: "invalid_reference" };
    else if (value === undefined || value === "") error ??= { code: "unresolved_reference", variable: name };
    return value ?? "";
  });
  if (/\$\{[^}]*$/.test(text)) error ??= { code: "invalid_reference" };
  return error === null ? ok(resolved) : err(error);
}
