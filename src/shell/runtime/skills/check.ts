import { basename } from "node:path";
import { type Config, SKILL_DOCUMENT, type SkillCheck, type SkillFile } from "#model";
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
  for (const part of joined === text ? [text] : [text, joined]) {
    const scan = await find(part);
    // A file that could not be searched is named as if something were found in its first line.
    for (const { start } of scan.ok ? scan.value : [{ start: 0 }]) lines.add(part.slice(0, start).split("\n").length);
  }
  return [...lines].map((line) => ({ path, line }));
}

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

/** The texts a person reads before installing it: SKILL.md first, then every script. */
export const shownTexts = ({ texts }: Checked): { readonly path: string; readonly text: string }[] =>
  texts
    .flatMap(({ path, text }) =>
      text === null || !(path === SKILL_DOCUMENT || path.startsWith("scripts/")) ? [] : [{ path, text }],
    )
    .toSorted(
      (a, b) => Number(b.path === SKILL_DOCUMENT) - Number(a.path === SKILL_DOCUMENT) || (a.path < b.path ? -1 : 1),
    );
