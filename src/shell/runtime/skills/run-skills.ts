import { err, ok, type Result } from "#base";
import { skillUnusableWords, type SandboxConfig, type WorkItem } from "#model";
import type { Sandboxes, SandboxSpace } from "#ports";
import type { SandboxCall } from "#tools";
import type { SkillFact } from "#work";
import { inputFor, type InstalledSkills, type LoadedSkill } from "./installed.ts";
import { laySkills } from "./trial.ts";

/** What of an approved plan says which skills it may use, in which version. */
export type SkillPlan = Pick<WorkItem, "skills"> & {
  /** Those it was approved with; without them it may use none. */
  readonly versions?: readonly SkillFact[] | undefined;
};

/** Skills as the steps of a run find them: those the plan lists, in the version it was approved with, and no others. */
export type RunSkills = {
  /** Copies of them for one attempt; null for a plan without any. Refused with words that name the skill. [WORK-08] */
  lay(plan: SkillPlan, sandboxes: { readonly in: Sandboxes; readonly usual: SandboxConfig }): Laid;
  /** Asked right before each step: what its script reads, null for any other program; or why it is not run. [INST-08] */
  inputFor(plan: SkillPlan, call: SandboxCall): Promise<Result<string | null, string>>;
};
type Laid = Promise<Result<SandboxSpace | null, string>>;

export function createRunSkills(installed: Pick<InstalledSkills, "load">): RunSkills {
  return {
    async lay(plan, { in: sandboxes, usual }) {
      const skills = await approvedOnes(installed, plan);
      if (!skills.ok) return skills;
      return skills.value.length === 0 ? ok(null) : laySkills(sandboxes, { usual, skills: skills.value });
    },
    async inputFor(plan, { script }) {
      const skills = await approvedOnes(installed, plan);
      if (!skills.ok) return skills;
      if (script === undefined) return ok(null);
      const skill = skills.value.find(({ name }) => name === script.skill);
      if (skill === undefined) return err(wordsOf(script.skill, "not_listed"));
      const input = inputFor(skill, script);
      return input.ok ? input : err(skillUnusableWords(input.error));
    },
  };
}

/** Every listed skill, each read again and held against what was approved. */
async function approvedOnes(
  installed: Pick<InstalledSkills, "load">,
  { skills, versions = [] }: SkillPlan,
): Promise<Result<readonly LoadedSkill[], string>> {
  const loaded: LoadedSkill[] = [];
  for (const name of skills) {
    const skill = await installed.load(name);
    if (!skill.ok) {
      return err("name" in skill.error ? skillUnusableWords(skill.error) : `The skill ${name} cannot be looked up`);
    }
    const digest = versions.find((one) => one.name === name)?.treeDigest;
    if (digest !== skill.value.tree.digest) return err(wordsOf(name, "other_version"));
    loaded.push(skill.value);
  }
  return ok(loaded);
}

const wordsOf = (name: string, reason: "not_listed" | "other_version"): string =>
  skillUnusableWords({ name, reason, about: "" });
