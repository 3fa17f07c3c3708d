import type { JsonValue } from "#base";
import type { ConnectionManifest } from "#model";

/** What one argument of a script takes. */
export type ScriptArgument = {
  readonly type: "string" | "integer" | "number" | "boolean";
  /** Longest text; null for any. */
  readonly maxLength: number | null;
  /** What stands for it when it is left out; null when it must be given. */
  readonly fallback: JsonValue;
};
export type ScriptArguments = { readonly [name: string]: ScriptArgument };

/** What a SKILL.md says. */
export type SkillManifest = {
  readonly name: string;
  readonly description: string;
  /** Variables its scripts read. */
  readonly env: readonly string[];
  /** By the path of the script. A script that is not named here takes no arguments. */
  readonly scriptArgs: { readonly [path: string]: ScriptArguments };
  readonly icon: string | null;
  /** What it connects to; null for a skill that connects to nothing. */
  readonly connection: ConnectionManifest | null;
};
