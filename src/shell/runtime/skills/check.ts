import { basename } from "node:path";
import { LIMITS } from "#base";
import { isSkillCode, SKILL_DOCUMENT, type Config, type SkillCheck, type SkillFile } from "#model";
import type { FindSecrets, SkillTree } from "#ports";
import { validateSkill, type CheckedSkill, type CredentialFact, type ReadYaml, type SkillRules } from "#work";
import { parseScripts, type TrialDeps } from "./trial.ts";

export type CheckDeps = TrialDeps & {
  readonly readYaml: ReadYaml;
  readonly rules: SkillRules;
  readonly findSecrets: FindSecrets;
};
export type Checked = CheckedSkill & {
  readonly name: string;
  readonly tree: SkillTree;
  readonly texts: readonly TextFile[];
};
type TextFile = { readonly path: string; readonly text: string | null };

/** What of the configuration the checks follow. */
export const skillRules = ({ skills: { validation } }: Pick<Config, "skills">): SkillRules => ({
  description: {
    minChars: validation.descriptionMinChars,
    maxChars: validation.descriptionMaxChars,
    refuseProcess: validation.failOnProcessHeavyDescription,
  },
  forbidEnv: validation.forbidUndeclaredEnv,
});

/** Everything that can be said of a skill without running it. */
export async function checkTree(
  deps: CheckDeps,
  { folder, tree }: { readonly folder: string; readonly tree: SkillTree },
): Promise<Checked> {
  const name = basename(folder);
  const texts = tree.files.map(({ path, bytes }) => ({ path, text: textOf(bytes) }));
  const checked = validateSkill({
    folder: name,
    files: tree.files.map(({ bytes, ...file }) => ({ ...file, text: textOf(bytes) })),
    readYaml: deps.readYaml,
    syntax: await parseScripts(deps, { name: "skill", tree }),
    credentials: (await Promise.all(texts.map((file) => credentialsIn(deps.findSecrets, file)))).flat(),
    rules: deps.rules,
  });
  return { ...checked, name, tree, texts };
}

/** Null when it is no UTF-8. A mark at its beginning stays: it hides, and is said. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Also where one is written in pieces that a program puts together. */
async function credentialsIn(find: FindSecrets, { path, text }: TextFile): Promise<readonly CredentialFact[]> {
  if (text === null) return [];
  const joined = text.replaceAll(/["'`]\s{0,100}\+\s{0,100}["'`]/g, "");
  const lines = new Set<number>();
  for (const whole of joined === text ? [text] : [text, joined])
    for (const { from, part } of partsOf(whole)) {
      const scan = await find(part);
      // A file that could not be searched is named as if something were found at its beginning.
      for (const { start } of scan.ok ? scan.value : [{ start: 0 }])
        lines.add(whole.slice(0, from + start).split("\n").length);
    }
  return [...lines].map((line) => ({ path, line }));
}

/** A data file may be longer than one scan; the parts overlap by more than a credential is long. */
function* partsOf(text: string): Generator<{ readonly from: number; readonly part: string }> {
  const size = LIMITS.secretScanChars;
  for (let from = 0; from === 0 || from < text.length; from += size - OVERLAP_CHARS)
    yield { from, part: text.slice(from, from + size) };
}
const OVERLAP_CHARS = 20_000;

export const fileOf = ({ path, size, executable, sha256 }: SkillFile): SkillFile => ({
  path,
  size,
  executable,
  sha256,
});

export const checkView = ({ name, tree, manifest, report }: Checked): SkillCheck => ({
  name,
  description: manifest?.description ?? "",
  treeDigest: tree.digest,
  files: tree.files.map(fileOf),
  env: [...(manifest?.env ?? [])],
  report,
});

/** The texts a person reads before installing it: SKILL.md first, then all code. */
export const shownTexts = ({ texts }: Checked): { readonly path: string; readonly text: string }[] =>
  texts
    .flatMap(({ path, text }) =>
      text === null || !(path === SKILL_DOCUMENT || isSkillCode(path)) ? [] : [{ path, text }],
    )
    .toSorted(
      (a, b) => Number(b.path === SKILL_DOCUMENT) - Number(a.path === SKILL_DOCUMENT) || (a.path < b.path ? -1 : 1),
    );
