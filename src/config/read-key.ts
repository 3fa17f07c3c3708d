import { err, ok, type Result } from "#base";
import { envNameOf, type ConfigKey } from "#model";
import { expandHome, pathsOf } from "./directories.ts";
import type { Environment } from "./environment.ts";
import { problem, type ConfigProblem, type Origin } from "./problems.ts";
import { isReference, resolveReferences } from "./references.ts";
import { parseYaml } from "./yaml-document.ts";

/** How the values of one source are read. */
export type Source = {
  readonly environment: Pick<Environment, "env" | "homeDir" | "platform">;
  /** Directory that relative paths of this source start from. */
  readonly baseDir: string;
};
/** One key about to be read, and where its value stands. */
type KeyAt = {
  readonly node: ConfigKey;
  readonly key: string;
  readonly source: Source;
  readonly origin: Origin;
  /** Where a part inside the value stands, e.g. an element of a list. */
  readonly originInside: (path: readonly (string | number)[]) => Origin;
};

/** Reads a value written in a file (or a default): resolves references, then types it by the schema. */
export function readValue(value: unknown, at: KeyAt): Result<unknown, ConfigProblem> {
  const { node, key, origin } = at;
  const literal = value !== null && !(typeof value === "string" && isReference(value));
  if (node.kind.role === "secret" && literal) {
    return err(problem("secret_in_file", { key, origin, variable: secretVariable(at) }));
  }
  if (typeof value !== "string" || !value.includes("${")) return typed(value, at);
  const resolved = resolveReferences(value, at.source.environment.env);
  if (resolved.ok) return isReference(value) ? readText(resolved.value, at) : typed(resolved.value, at);
  if (resolved.error.code === "invalid_reference") return err(problem("invalid_reference", { key, origin }));
  // An unset variable means "none" for a key that may be empty, and is a mistake for any other.
  if (isReference(value) && takesNull(node)) return ok(null);
  return err(problem("unresolved_reference", { key, origin, variable: resolved.error.variable }));
}

/** Reads a value given as text (a variable, a flag): typed by the schema, so `8420` is a number for a number. */
export function readText(text: string, at: KeyAt): Result<unknown, ConfigProblem> {
  const { node, key, origin } = at;
  if (node.kind.reading === "text") return typed(text === "null" && takesNull(node) ? null : text, at);
  // A plain number reads the same in YAML; `start --port 9000` need not load the library for it.
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return typed(Number(text), at);
  const document = parseYaml(text);
  if (!document.ok) return err(problem("wrong_value", { key, origin, expected: node.kind.expected }));
  return typed(document.value.value, at);
}

function typed(value: unknown, at: KeyAt): Result<unknown, ConfigProblem> {
  const { node, key, source } = at;
  const parsed = node.kind.schema.safeParse(value);
  if (!parsed.success) {
    const inside = (parsed.error.issues[0]?.path ?? []).filter((step) => typeof step !== "symbol");
    return err(problem("wrong_value", { key, origin: at.originInside(inside), expected: node.kind.expected }));
  }
  if (node.kind.role !== "path" || typeof parsed.data !== "string") return ok(parsed.data);
  const { homeDir, platform } = source.environment;
  return ok(pathsOf(platform).resolve(source.baseDir, expandHome(parsed.data, homeDir)));
}

function takesNull(node: ConfigKey): boolean {
  return node.kind.schema.safeParse(null).success;
}

/** The variable that should hold a secret: the one its default refers to, else the one that overrides the key. */
function secretVariable({ node, key }: KeyAt): string {
  const fallback = typeof node.fallback === "string" ? /^\$\{(.+)\}$/.exec(node.fallback)?.[1] : undefined;
  return fallback ?? envNameOf(key);
}
