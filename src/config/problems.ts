import type { ConfigRuleCode } from "#model";
import type { YamlRefusalCode } from "#base";

/** Where a value came from. */
export type Origin =
  | { readonly kind: "flag" }
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "file"; readonly file: string; readonly line: number; readonly column: number }
  | { readonly kind: "default" };

export type ConfigProblemCode =
  | ConfigRuleCode
  | YamlRefusalCode
  | "file_missing"
  | "file_not_text"
  | "file_unreadable"
  | "home_unknown"
  | "invalid_reference"
  | "missing_key"
  | "not_a_map"
  | "secret_in_file"
  | "secret_in_flag"
  | "unknown_key"
  | "unresolved_reference"
  | "wrong_value";

/** One thing to repair. Holds no value that was read, so a secret can never be in it. */
export type ConfigProblem = {
  readonly code: ConfigProblemCode;
  /** Dotted wire key, or null when the file as a whole is meant. */
  readonly key: string | null;
  readonly origin: Origin;
  /** What the key takes, e.g. `a whole number from 1 to 120`. */
  readonly expected: string | null;
  /** The key that was probably meant. */
  readonly nearest: string | null;
  /** The environment variable that is missing, or that should hold the secret. */
  readonly variable: string | null;
  /** Keys the rule compares with. */
  readonly others: readonly string[];
};
export type ConfigProblems = readonly [ConfigProblem, ...ConfigProblem[]];

export function problem(
  code: ConfigProblemCode,
  rest: Partial<Omit<ConfigProblem, "code">> & Pick<ConfigProblem, "key" | "origin">,
): ConfigProblem {
  return { expected: null, nearest: null, variable: null, others: [], code, ...rest };
}

/** `flag`, `env SILAS_X`, `path:line` or `default`. */
export function formatOrigin(origin: Origin): string {
  switch (origin.kind) {
    case "env":
      return `env ${origin.name}`;
    case "file":
      return `${origin.file}:${origin.line}`;
    default:
      return origin.kind;
  }
}
