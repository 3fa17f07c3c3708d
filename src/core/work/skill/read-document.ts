import { oneLine, type JsonValue } from "#base";
import {
  CONNECTION_KEYS,
  isSkillScript,
  SKILL_DOCUMENT,
  SKILL_NAME,
  type SkillNoteCode,
  type SkillProblemCode,
} from "#model";
import type { ReadYaml } from "../parse-plan.ts";
import { readConnection } from "../connection/read-connection.ts";
import { FRONT_MATTER_LINE, splitPlan } from "../plan-form.ts";
import type { SkillManifest } from "./manifest.ts";
import { readScriptArguments } from "./script-arguments.ts";

/** Notes what is wrong, or worth saying. */
export type Find = {
  problem(code: SkillProblemCode, where?: Where): void;
  note(code: SkillNoteCode, where?: Where): void;
};
export type Where = { readonly path?: string; readonly line?: number; readonly about?: string };

type Wire = { readonly [key: string]: unknown };
export type SkillDocument = { readonly manifest: SkillManifest; readonly body: string; readonly bodyLine: number };

/** The keys of the Agent Skills standard. */
const STANDARD = new Set(["name", "description", "license", "compatibility", "metadata", "allowed-tools"]);
/** Those of Silas, which may stand beside them or inside of `metadata`. [SKILL-04] */
const OWN = new Set<string>(["requirements", "ui", "activation", "composes_with", "script_args", "type"]);
for (const key of CONNECTION_KEYS) OWN.add(key);

/** Reads a SKILL.md. Null when nothing can be said about the rest of it. Never throws. */
export function readSkillDocument(
  text: string,
  { readYaml, find }: { readonly readYaml: ReadYaml; readonly find: Find },
): SkillDocument | null {
  const unreadable = (line: number, about: string): null => {
    find.problem("document_unreadable", { path: SKILL_DOCUMENT, line, about: `(${about})` });
    return null;
  };
  const form = splitPlan(text);
  if (!form.ok) return unreadable(form.error.line, form.error.code);
  const read = readYaml(form.value.frontMatter);
  if (!read.ok) return unreadable((read.error[0]?.line ?? 1) + 1, read.error[0]?.code ?? "yaml_syntax");
  const { value, locate } = read.value;
  if (!isRecord(value)) return unreadable(FRONT_MATTER_LINE, "front_matter_not_map");
  const lineOf = (key: string): number => locate([key]).line + FRONT_MATTER_LINE - 1;
  const at = (key: string, about = key): Where => ({ path: SKILL_DOCUMENT, line: lineOf(key), about });
  const metadata = isRecord(value["metadata"]) ? value["metadata"] : {};
  const own = (key: string): unknown => value[key] ?? metadata[key] ?? null;
  for (const key of Object.keys(value)) {
    if (key === "allowed-tools") find.note("tools_not_granted", at(key, oneLine(String(value[key])).slice(0, 200)));
    else if (!STANDARD.has(key) && !OWN.has(key)) find.note("unknown_key", at(key, oneLine(key).slice(0, 80)));
  }
  checkForms({ value, metadata, own }, { find, at });
  const manifest: SkillManifest = {
    name: required(value, { key: "name", find }),
    description: required(value, { key: "description", find }).replaceAll(/\s+/g, " ").trim(),
    env: envOf(own("requirements"), () => find.problem("key_wrong", at("requirements", "requirements.env"))),
    scriptArgs: argumentsOf(own("script_args"), (about) => find.problem("script_args_wrong", at("script_args", about))),
    icon: iconOf(own("ui")),
    connection: readConnection({ own, find }),
  };
  return { manifest, body: form.value.body, bodyLine: form.value.bodyLine };
}

/** What an approved SKILL.md says, for whoever uses the skill; null when it says nothing. */
export function readManifest(text: string, readYaml: ReadYaml): SkillManifest | null {
  return readSkillDocument(text, { readYaml, find: { problem: () => {}, note: () => {} } })?.manifest ?? null;
}

type Reading = { readonly value: Wire; readonly metadata: Wire; readonly own: (key: string) => unknown };
type Reporting = { readonly find: Find; readonly at: (key: string, about?: string) => Where };

function checkForms({ value, own }: Reading, { find, at }: Reporting): void {
  const wrong = (key: string): void => find.problem("key_wrong", at(key));
  for (const key of ["license", "compatibility"]) if (!isTextOrNone(value[key])) wrong(key);
  if (value["metadata"] !== undefined && !isRecord(value["metadata"])) wrong("metadata");
  const requirements = own("requirements");
  if (!isTextOrNone(requirements) && !isRecord(requirements)) wrong("requirements");
  const activation = own("activation");
  if (activation !== null && !ACTIVATIONS.has(String(activation))) wrong("activation");
  const others = own("composes_with");
  const areNames = Array.isArray(others) && others.every((name) => typeof name === "string" && SKILL_NAME.test(name));
  if (others !== null && !areNames) wrong("composes_with");
  const ui = own("ui");
  const isUi = isRecord(ui) && Object.values(ui).every((text) => typeof text === "string" && oneLine(text) === text);
  if (ui !== null && !isUi) wrong("ui");
}

const ACTIVATIONS = new Set(["auto", "manual", "background"]);

function required(value: Wire, { key, find }: { readonly key: string; readonly find: Find }): string {
  const text = value[key];
  if (typeof text === "string" && text.trim() !== "") return text;
  find.problem(text === undefined || text === null ? "key_missing" : "key_wrong", { path: SKILL_DOCUMENT, about: key });
  return "";
}

const VARIABLE = /^[A-Z][A-Z0-9_]{0,79}$/;

function envOf(requirements: unknown, refuse: () => void): readonly string[] {
  if (!isRecord(requirements) || requirements["env"] === undefined) return [];
  const { env } = requirements;
  const isList = Array.isArray(env) && env.every((name) => typeof name === "string" && VARIABLE.test(name));
  if (isList) return [...new Set(env as readonly string[])].toSorted();
  refuse();
  return [];
}

function argumentsOf(value: unknown, refuse: (about: string) => void): SkillManifest["scriptArgs"] {
  if (value === null) return {};
  if (!isRecord(value)) {
    refuse("script_args");
    return {};
  }
  return Object.fromEntries(
    Object.entries(value).map(([path, described]) => {
      if (!isSkillScript(path)) refuse(oneLine(path).slice(0, 200));
      return [path, readScriptArguments(described, (about) => refuse(`${oneLine(path).slice(0, 200)}: ${about}`))];
    }),
  );
}

const iconOf = (ui: unknown): string | null => (isRecord(ui) && typeof ui["icon"] === "string" ? ui["icon"] : null);

const isTextOrNone = (value: unknown): boolean => value === undefined || value === null || typeof value === "string";
const isRecord = (value: unknown): value is { readonly [key: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
