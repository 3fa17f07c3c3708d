import { assert, canonicalJson, isPathInside, sha256Hex, type Sha256Hex } from "#base";

/** One file of a skill as it is bound: where it lies, how large it is, whether it may be executed, and its bytes. */
export type SkillFile = {
  readonly path: string;
  readonly size: number;
  readonly executable: boolean;
  readonly sha256: string;
};

/**
 * What a skill is bound to: every file of its folder, in the order of their paths. A changed, added, removed or renamed
 * file, and an executable bit, give another digest. [INV-06]
 */
export function skillTreeDigest(files: readonly SkillFile[]): Sha256Hex {
  const sorted = files
    .map(({ path, size, executable, sha256 }) => ({ path, size, executable, sha256 }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const text = canonicalJson(sorted);
  assert(text.ok, "INV-06 a skill tree has canonical bytes");
  // The first line says what kind of statement it is, so that it is never another.
  return sha256Hex(`silas-skill-tree-v1\n${text.value}`);
}

/** Plain letters alone: no two names of a skill look the same, on any screen and any disk. */
const NAME = /^[A-Za-z0-9._@+=,() -]{1,120}$/;

export const isSkillPath = (path: string): boolean =>
  isPathInside(path) && path.length <= 256 && path.split("/").every((part) => NAME.test(part) && part.trim() === part);

/** As in a plan: the same as the name of its folder. */
export const SKILL_NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const SKILL_DOCUMENT = "SKILL.md";
/** Code that is parsed, searched and shown before a skill is installed, wherever it lies. */
export const isSkillCode = (path: string): boolean => /\.(?:mjs|cjs|js|py)$/.test(path);
/** The scripts of a skill that a step can run; they may use the skill's other code. */
export const isSkillScript = (path: string): boolean => /^scripts\/.+\.(?:mjs|py)$/.test(path);
