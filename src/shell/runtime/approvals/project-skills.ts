import type { Result } from "#base";
import type { SkillUnusable, Step, StoreFault } from "#model";
import { isSkillCall } from "#tools";
import { callOf } from "#work";
import type { InstalledSkills } from "../skills/installed.ts";
import { projectRead, readProposal, type PlanReading } from "./project-plan.ts";

type Projected = ReturnType<typeof projectRead> | Result<never, SkillUnusable | StoreFault>;

/**
 * Projects a plan with the versions of skills that are installed. Everything it lists is there and can be used as its
 * steps use it, or nobody is asked about it. [SKILL-10]
 */
export async function projectWithSkills(
  installed: Pick<InstalledSkills, "factsFor">,
  reading: PlanReading,
): Promise<Projected> {
  const read = readProposal(reading);
  if (!read.ok) return read;
  const alone = projectRead(read.value, reading);
  if (!alone.ok) return alone;
  const works = [alone.value.item, ...alone.value.tasks.map(({ item }) => item)];
  if (works.every(({ skills, steps }) => skills.length === 0 && !steps.some(usesSkill))) return alone;
  const skills = await installed.factsFor(works);
  return skills.ok ? projectRead(read.value, { ...reading, skills: skills.value }) : skills;
}

const usesSkill = (step: Step): boolean => isSkillCall(callOf(step));
