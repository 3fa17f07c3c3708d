import { sha256Hex } from "#base";
import { parseYaml } from "#config";
import { isSkillCode, type SkillProblemCode } from "#model";
import { validateSkill, type CheckedSkill, type SkillFacts, type SkillText } from "./validate.ts";

export type Files = Readonly<Record<string, string>>;

export const DOCUMENT = `---
name: word-count
description: Counts words and lines of a text when somebody asks how long it is.
---

# Word count

Use \`scripts/count.mjs\`; see [the rules](references/rules.md).
`;

/** A skill with nothing wrong in it. */
export const GOOD: Files = {
  "SKILL.md": DOCUMENT,
  "scripts/count.mjs": "for await (const chunk of process.stdin) console.log(chunk.length);\n",
  "references/rules.md": "# Rules\n",
};

export const textsOf = (files: Files): readonly SkillText[] =>
  Object.entries(files).map(([path, text]) => ({
    path,
    size: text.length,
    executable: false,
    sha256: sha256Hex(text),
    text,
  }));

export function checkFiles(files: Files, over: Partial<SkillFacts> = {}): CheckedSkill {
  const scripts = Object.keys(files).filter(isSkillCode);
  return validateSkill({
    folder: "word-count",
    files: textsOf(files),
    readYaml: parseYaml,
    syntax: new Map(scripts.map((path) => [path, "parsed" as const])),
    credentials: [],
    rules: { description: { minChars: 24, maxChars: 1024, refuseProcess: true }, forbidEnv: true },
    ...over,
  });
}

export const problemsOf = (files: Files, over: Partial<SkillFacts> = {}): readonly SkillProblemCode[] => [
  ...new Set(checkFiles(files, over).report.problems.map(({ code }) => code)),
];

/** The same skill with another front matter. */
export const withKeys = (keys: string): Files => ({
  ...GOOD,
  "SKILL.md": DOCUMENT.replace(/^description.*$/m, (line) => `${line}\n${keys.trim()}`),
});
export const described = (description: string): Files => ({
  ...GOOD,
  "SKILL.md": DOCUMENT.replace(/^description.*$/m, `description: ${JSON.stringify(description)}`),
});
export const script = (text: string, name = "count.mjs"): Files => ({ ...GOOD, [`scripts/${name}`]: text });
