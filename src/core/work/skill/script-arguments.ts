import { err, ok, oneLine, type JsonValue, type Result } from "#base";
import type { ScriptArgument, ScriptArguments } from "./manifest.ts";

const TYPES = ["string", "integer", "number", "boolean"] as const;
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** What SKILL.md says about the arguments of one script; everything that cannot be read is told. */
export function readScriptArguments(described: unknown, refuse: (about: string) => void): ScriptArguments {
  if (!isRecord(described)) {
    refuse("not a map of arguments");
    return {};
  }
  const read = Object.entries(described).flatMap(([name, spec]): readonly (readonly [string, ScriptArgument])[] => {
    const argument = NAME.test(name) ? readArgument(spec) : null;
    if (argument !== null) return [[name, argument]];
    refuse(oneLine(name).slice(0, 80));
    return [];
  });
  return Object.fromEntries(read);
}

function readArgument(spec: unknown): ScriptArgument | null {
  if (!isRecord(spec) || Object.keys(spec).some((key) => !["type", "default", "max_length"].includes(key))) return null;
  const type = TYPES.find((one) => one === spec["type"]);
  const { max_length: longest = null, default: fallback = null } = spec;
  const isLength = longest === null || (Number.isSafeInteger(longest) && (longest as number) > 0);
  if (type === undefined || !isLength || (longest !== null && type !== "string")) return null;
  const argument = { type, maxLength: longest as number | null, fallback: null };
  return fallback === null || fits(argument, fallback) ? { ...argument, fallback } : null;
}

/** The first argument that is wrong, and why. */
type ArgumentRefused = {
  readonly name: string;
  readonly reason: "unknown" | "missing" | "wrong_type" | "too_long";
};

/**
 * What a script is given: what the plan says, checked, and the defaults for the rest. Nothing that SKILL.md does not
 * describe reaches it, and nothing starts with an argument that does not fit. [SKILL-09]
 */
export function fillArguments(
  described: ScriptArguments,
  given: { readonly [name: string]: unknown },
): Result<{ readonly [name: string]: JsonValue }, ArgumentRefused> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(described, name));
  if (unknown !== undefined) return err({ name: unknown, reason: "unknown" });
  const filled: [string, JsonValue][] = [];
  for (const [name, argument] of Object.entries(described)) {
    const value = Object.hasOwn(given, name) ? given[name] : argument.fallback;
    if (!Object.hasOwn(given, name) && value === null) return err({ name, reason: "missing" });
    if (!hasType(argument, value)) return err({ name, reason: "wrong_type" });
    if (!fits(argument, value)) return err({ name, reason: "too_long" });
    filled.push([name, value as JsonValue]);
  }
  return ok(Object.fromEntries(filled));
}

/** What a script is tried with: its defaults, and for the rest the least of each type. [INST-07] */
export const trialArguments = (described: ScriptArguments): { readonly [name: string]: JsonValue } =>
  Object.fromEntries(Object.entries(described).map(([name, { type, fallback }]) => [name, fallback ?? LEAST[type]]));

const LEAST = { string: "", integer: 0, number: 0, boolean: false } as const;

function hasType({ type }: ScriptArgument, value: unknown): boolean {
  if (type === "integer") return Number.isSafeInteger(value);
  return typeof value === type && (type !== "number" || Number.isFinite(value));
}

const fits = (argument: ScriptArgument, value: unknown): boolean =>
  hasType(argument, value) &&
  (argument.maxLength === null || typeof value !== "string" || value.length <= argument.maxLength);

const isRecord = (value: unknown): value is { readonly [key: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
