import { LIMITS, neutralise, oneLine } from "#base";
import {
  isSkillCode,
  isSkillScript,
  SKILL_DOCUMENT,
  SKILL_NAME,
  type SkillFile,
  type SkillFinding,
  type SkillReport,
} from "#model";
import { checkConnectionScripts } from "../connection/read-connection.ts";
import type { ReadYaml } from "../parse-plan.ts";
import { checkDescription, type DescriptionBounds } from "./description.ts";
import type { SkillManifest } from "./manifest.ts";
import { readSkillDocument, type Find } from "./read-document.ts";
import { checkReferences } from "./references.ts";
import { scanInstructions, scanScript } from "./scan-script.ts";

/** A file with its text; null when it is no UTF-8. */
export type SkillText = SkillFile & { readonly text: string | null };
/** What a parser said of a script: it parses, it does not in this line, or there is no parser here. */
export type SyntaxFact = "parsed" | { readonly line: number | null } | { readonly absent: string };
/** A credential that was found, by whoever knows their forms. */
export type CredentialFact = { readonly path: string; readonly line: number };

export type SkillFacts = {
  /** The name of the folder. */
  readonly folder: string;
  readonly files: readonly SkillText[];
  readonly readYaml: ReadYaml;
  readonly syntax: ReadonlyMap<string, SyntaxFact>;
  readonly credentials: readonly CredentialFact[];
  readonly rules: SkillRules;
};
export type SkillRules = { readonly description: DescriptionBounds; readonly forbidEnv: boolean };
export type CheckedSkill = {
  readonly report: SkillReport;
  /** Null when SKILL.md cannot be read. */
  readonly manifest: SkillManifest | null;
};

/**
 * Everything that is wrong with a skill, decided by its bytes and by what parsers said of them. Equal facts give equal
 * reports; nothing of it is run and nobody is asked. [INST-02 to INST-05]
 */
export function validateSkill(facts: SkillFacts): CheckedSkill {
  const found = { problems: [] as Mutable<"problems">, notes: [] as Mutable<"notes"> };
  const find: Find = {
    problem: (code, where = {}) => void add(found.problems, { code, ...placed(where) }),
    note: (code, where = {}) => void add(found.notes, { code, ...placed(where) }),
  };
  const { files } = facts;
  checkTree(files, find);
  checkTexts(facts, find);
  const document = files.find(({ path }) => path === SKILL_DOCUMENT)?.text ?? null;
  const read = document === null ? null : readSkillDocument(document, { readYaml: facts.readYaml, find });
  if (read !== null) {
    const { name, description } = read.manifest;
    if (name !== "" && !SKILL_NAME.test(name))
      find.problem("name_wrong", { path: SKILL_DOCUMENT, about: oneLine(name).slice(0, 80) });
    if (name !== "" && name !== facts.folder)
      find.problem("name_differs", { path: SKILL_DOCUMENT, about: facts.folder });
    checkDescription(description, { bounds: facts.rules.description, find });
    checkReferences(read, { paths: new Set(files.map(({ path }) => path)), find });
    if (read.manifest.connection !== null) checkConnectionScripts(new Set(files.map(({ path }) => path)), find);
  }
  for (const { path, text } of files) if (/\.md$/i.test(path) && text !== null) scanInstructions({ path, text }, find);
  const env = new Set(read?.manifest.env ?? []);
  for (const { path, text } of files.filter((file) => isSkillCode(file.path))) {
    const fact = facts.syntax.get(path);
    if (fact === undefined || (typeof fact === "object" && "absent" in fact)) {
      find.problem("parser_absent", { path, about: fact === undefined ? "no parser was asked" : fact.absent });
    } else if (fact !== "parsed")
      find.problem("script_syntax", { path, ...(fact.line === null ? {} : { line: fact.line }) });
    if (text !== null) scanScript({ path, text }, { env, forbidEnv: facts.rules.forbidEnv, find });
  }
  const report = { problems: inOrder(found.problems), notes: inOrder(found.notes) };
  return { report, manifest: read === null || read.manifest.name === "" ? null : read.manifest };
}

type Mutable<K extends keyof SkillReport> = SkillReport[K][number][];

/** Code that is not shown, since nothing here can parse or search it. */
const CODE = /\.(?:jsx|m?ts|cts|tsx|pyc|pyo|sh|bash|zsh|rb|pl|php|lua|so|node|wasm|exe|dll|jar|class)$/i;
const FOLDERS = /^(?:scripts|references|assets)\//;
const BESIDE = /^(?:LICEN[CS]E|NOTICE|README|CHANGELOG)(?:\.\w+)?$/;

function checkTree(files: readonly SkillText[], find: Find): void {
  if (!files.some(({ path }) => path === SKILL_DOCUMENT)) find.problem("document_missing");
  for (const { path, executable } of files) {
    if (path === SKILL_DOCUMENT) continue;
    if (path.split("/").at(-1)?.toLowerCase() === "skill.md") find.problem("nested_skill", { path });
    if (isSkillCode(path)) continue;
    // Everything else is data: it is listed with its digest, and nothing runs it.
    if (CODE.test(path) || executable)
      find.problem(path.startsWith("scripts/") ? "script_kind" : "code_outside_scripts", { path });
    else if (!FOLDERS.test(path) && !BESIDE.test(path)) find.note("unexpected_file", { path: placeOf(path) });
  }
  if (!files.some(({ path }) => isSkillScript(path))) find.note("no_scripts");
  if (files.filter(({ path }) => isSkillCode(path)).length > LIMITS.skillScripts)
    find.problem("script_too_many", { about: String(LIMITS.skillScripts) });
}

/** A folder of its own is named once. */
const placeOf = (path: string): string => (path.includes("/") ? `${path.split("/")[0]}/` : path);

function checkTexts({ files, credentials }: SkillFacts, find: Find): void {
  const shown = files.filter(({ path }) => path === SKILL_DOCUMENT || isSkillCode(path));
  for (const { path, text } of shown) {
    if (text === null) find.problem("not_text", { path });
    else if (neutralise(text) !== text) find.problem("hidden_characters", { path, line: firstHidden(text) });
  }
  const chars = shown.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  if (chars > LIMITS.skillTextChars) find.problem("text_too_long", { about: String(LIMITS.skillTextChars) });
  for (const { path, line } of credentials) find.problem("credential_literal", { path, line });
}

const firstHidden = (text: string): number => text.split("\n").findIndex((line) => neutralise(line) !== line) + 1 || 1;

const placed = ({ path, line, about }: Parameters<Find["problem"]>[1] & object) => ({
  path: path ?? null,
  line: line ?? null,
  about: (about ?? "").slice(0, LIMITS.titleChars),
});

function add<F>(list: F[], finding: F): void {
  if (list.length < LIMITS.skillFindings) list.push(finding);
}

/** By place, then by what it is, so that the same folder reads the same. */
function inOrder<F extends SkillFinding>(findings: readonly F[]): F[] {
  const seen = new Map(findings.map((finding) => [key(finding), finding]));
  return [...seen].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, finding]) => finding);
}

const key = ({ path, line, code, about }: SkillFinding): string =>
  `${path ?? ""}\0${String(line ?? 0).padStart(8, "0")}\0${code}\0${about}`;
