/**
 * work: what a plan may say, what of it an approval is bound to, and how approved steps run.
 *
 * Decides whether a plan file is a work item, the canonical projection whose hash a person signs, the one task a goal
 * makes of what failed, and every turn of a run: `createRun` (or `reloadRun` from what was kept), then
 * `advanceRun(state, fact)` gives the next state and effects, performed in order; each effect but `record`, `finish`,
 * `close_space` and `stop_running` is answered by one fact. begin -> check_approval -> open_space -> run_step for each
 * step -> run_checks -> finish. A failed step or check begins another attempt in a fresh space while budget is left.
 * `cancel` may come at any time. The run is over when its phase is; `record` and `finish` are one transaction each.
 * For goals: `planDue` says whether one is to be looked at now, and `advanceCycle(state, fact)` takes every turn of a
 * look: checks -> healthy, or one task of what failed -> standing approval or the owner -> its run -> the checks again.
 * May import `#model` and `#base` only; the YAML reader, the time and the facts about skills are given to it.
 * Invariants: a plan never sets what the runtime keeps (PLAN-04); commands are argument lists, no shell reads them
 * (PLAN-03); equal plans have equal bytes, and every field that changes the effect changes the hash (PLAN-08 to
 * PLAN-11); all problems of a file come together, each with its line.
 */
export { compileBatch, type CompiledBatch } from "./batch/compile.ts";
export { outcomesOf } from "./batch/outcomes.ts";
export { tidyBatches, type FileFact, type FolderFacts, type LeftAlone, type TidyPlan } from "./batch/tidy.ts";
export { isGrantable } from "./steps/grants.ts";
export { splitCommand, type CommandRefusal } from "./command-line.ts";
export { parsePlan, type ParsedPlan, type PlanNotice, type PlanSource, type ReadYaml } from "./parse-plan.ts";
export { advanceCycle, beginCycle, failedChecks, repairTask, resumeCycle } from "./goal/cycle.ts";
export type { CycleEffect, CycleEvent, CycleFact, CycleGoal, CycleState } from "./goal/cycle-facts.ts";
export { planDue, skippedDues, type DuePlan, type MissedPolicy, type SkippedDues, type Timetable } from "./goal/due.ts";
export { admitted, type Claim, type PoolLimits } from "./pool/pool.ts";
export { decideProject, judgeProject, unmetOf, usedBy, type ProjectEnd, type ProjectPlan } from "./project/decide.ts";
export { orderTasks } from "./project/order.ts";
export { advanceRun, createRun, reloadRun } from "./run/machine.ts";
export type {
  GateMoment,
  GatesHeld,
  GatesPassed,
  RunEffect,
  RunEvent,
  RunFact,
  RunPlan,
  RunState,
  RunWrite,
  StepEnd,
  StepNotRun,
} from "./run/facts.ts";
export type { SandboxCall } from "./steps/tool-call.ts";
export { changedBetween, mayDecideCheck, type CheckFiles } from "./verify/tampering.ts";
export { checkNotRun, judgeOutput, type CheckRun, type FindPattern } from "./verify/expectation.ts";
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
export { placeAbsentTools, placeGateProblems } from "./place-problems.ts";
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
