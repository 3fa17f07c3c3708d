/**
 * work: what a plan may say, and what of it an approval is bound to.
 *
 * Decides whether a plan file is a work item (front matter, briefing, commands, checks, gates, escalations), which
 * skills it ends up with, the canonical projection whose hash a person signs, and the one task a goal makes of what
 * failed.
 * May import `#model` and `#base` only; the YAML reader, the time and the facts about skills are given to it.
 * Invariants: a plan never sets what the runtime keeps (PLAN-04); commands are argument lists, no shell reads them
 * (PLAN-03); equal plans have equal bytes, and every field that changes the effect changes the hash (PLAN-08 to
 * PLAN-11); all problems of a file come together, each with its line.
 */
export { splitCommand, type CommandRefusal } from "./command-line.ts";
export { parsePlan, type ParsedPlan, type PlanNotice, type PlanSource, type ReadYaml } from "./parse-plan.ts";
export type { Heading } from "./plan-form.ts";
export {
  FILE_ALONE,
  planBytes,
  planHash,
  projectPlan,
  type PlanFacts,
  type PlanProjection,
  type SkillFact,
} from "./plan-hash.ts";
export { placeGateProblems } from "./place-problems.ts";
export type { PlanProblem, PlanProblemCode, PlanProblems } from "./problems.ts";
export {
  buildSpawnedTask,
  readSpawn,
  type FailedCheck,
  type SpawnFacts,
  type SpawnRead,
  type SpawnReading,
  type SpawnedTask,
} from "./spawn.ts";
export { withEffectiveSkills } from "./skills.ts";
