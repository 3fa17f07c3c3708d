import { expect, test } from "vitest";
import { SKILL_NOTES, SKILL_PROBLEMS, skillFindingWords, type SkillFinding } from "./skill-report.ts";

const finding = (code: string, more: Partial<SkillFinding> = {}): SkillFinding =>
  ({ code, path: null, line: null, about: "", ...more }) as SkillFinding;

test("every finding is told in its own words, after where it is and before what it is about", () => {
  for (const [code, words] of Object.entries({ ...SKILL_PROBLEMS, ...SKILL_NOTES })) {
    expect(skillFindingWords(finding(code))).toBe(words);
    expect(skillFindingWords(finding(code, { path: "SKILL.md" }))).toBe(`SKILL.md: ${words}`);
    expect(skillFindingWords(finding(code, { path: "SKILL.md", line: 3 }))).toBe(`SKILL.md:3: ${words}`);
    expect(skillFindingWords(finding(code, { about: "x" }))).toBe(`${words} x`);
  }
});
