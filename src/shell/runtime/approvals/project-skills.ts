import type { Result } from "#base";
import { isSkillCall, type SkillUnusable, type Step, type StoreFault } from "#model";
import { callOf } from "#work";
import type { InstalledSkills } from "../skills/installed.ts";
import { projectProposal, type PlanReading } from "./project-plan.ts";

type Projected = ReturnType<typeof projectProposal> | Result<never, SkillUnusable | StoreFault>;

/**
 * Projects a plan with the versions of skills that are installed. Everything it lists is there and can be used as its
 * steps use it, or nobody is asked about it. [SKILL-10]
 */
export async function projectWithSkills(
  installed: Pick<InstalledSkills, "factsFor">,
  reading: PlanReading,
): Promise<Projected> {
  const read = projectProposal(reading);
  if (!read.ok) return read;
  const works = [read.value.item, ...read.value.tasks.map(({ item }) => item)];
  if (works.every(({ skills, steps }) => skills.length === 0 && !steps.some(usesSkill))) return read;
  const skills = await installed.factsFor(works);
  return skills.ok ? projectProposal({ ...reading, skills: skills.value }) : skills;
}

const usesSkill = (step: Step): boolean => isSkillCall(callOf(step));
