import * as z from "zod/mini";
import { LIMITS, sha256Hex } from "#base";
import { line } from "../approval/fields.ts";
import { skillReportSchema } from "./skill-report.ts";
import { isSkillCode, isSkillPath, SKILL_DOCUMENT, SKILL_NAME, skillTreeDigest } from "./skill-tree.ts";
import { digest, maxLength, minLength } from "../values.ts";

const fileSchema = z.strictObject({
  path: z.string().check(z.refine(isSkillPath, "not_a_skill_path")),
  size: z.int().check(z.gte(0), z.lte(LIMITS.skillBytes)),
  executable: z.boolean(),
  sha256: digest,
});
const textSchema = z.strictObject({ path: z.string(), text: z.string().check(maxLength(LIMITS.skillTextChars)) });

/**
 * What an installation is bound to: every file by its digest, the whole text of SKILL.md and of all code, what the
 * checks found, and what scripts may use. The texts are those of the files, so what is read is what is installed. [INST-05]
 */
export const skillInstallShape = {
  name: z.string().check(z.regex(SKILL_NAME)),
  description: line(LIMITS.skillDescriptionChars),
  tree_digest: digest,
  files: z.array(fileSchema).check(minLength(1), maxLength(LIMITS.skillFiles)),
  texts: z.array(textSchema).check(minLength(1), maxLength(LIMITS.skillScripts + 1)),
  /** Variables that its scripts read; what is in them comes from the plan. */
  env: z.array(line(LIMITS.nameChars)),
  report: skillReportSchema,
} as const;

type Shown = z.infer<z.ZodMiniObject<typeof skillInstallShape>>;

/** Whether the digest is that of the files, and every text that runs or instructs is there, as the file it is. */
export function isWholeInstall({ files, texts, tree_digest: said, report }: Shown): boolean {
  const paths = new Set(files.map(({ path }) => path));
  if (paths.size !== files.length || skillTreeDigest(files) !== said) return false;
  const shown = new Map(texts.map(({ path, text }) => [path, text]));
  const isShown = ({ path, sha256 }: Shown["files"][number]): boolean => {
    const text = shown.get(path);
    return text === undefined ? path !== SKILL_DOCUMENT && !isSkillCode(path) : sha256Hex(text) === sha256;
  };
  return (
    report.problems.length === 0 &&
    shown.size === texts.length &&
    texts.every(({ path }) => paths.has(path)) &&
    files.every(isShown)
  );
}
