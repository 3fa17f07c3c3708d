import { err, ok, type Result } from "#base";
import { isSkillPath, isSkillScript } from "#model";
import { scriptPlace } from "#tools";

type Wanted = { readonly skill: string; readonly file: string };
type Tree = readonly { readonly path: string }[];

/**
 * The script that a step names, as a path inside of its sandbox. Only what is a file of the tree that was approved is
 * found; `..`, an absolute path and a link are none. [SKILL-08]
 */
export function resolveScript(
  tree: Tree,
  { skill, file }: Wanted,
): Result<string, { readonly code: "script_missing" }> {
  const isThere = isSkillPath(file) && isSkillScript(file) && tree.some(({ path }) => path === file);
  return isThere ? ok(scriptPlace({ skill, file })) : err({ code: "script_missing" });
}
