/**
 * work: what a plan may say, what of it an approval is bound to, and how approved steps run.
 *
 * Decides whether a plan file is a work item, the canonical projection whose hash a person signs, the one task a goal
 * makes of what failed, and every turn of a run: `createRun` (or `reloadRun` from what was kept), then
 * `advanceRun(state, fact)` gives the next state and effects, performed in order; each effect but `record`, `finish`,
 * `close_space` and `stop_running` is answered by one fact. begin -> check_approval -> open_space -> run_step for each
 * step -> run_checks -> finish. A failed step or check begins another attempt in a fresh space while budget is left.
 * `cancel` may come at any time. The run is over when its phase is; `record` and `finish` are one transaction each.
 * `planTimer` says what is to be done about a timer now. For goals `advanceCycle(state, fact)` takes every turn of a
 * look: checks -> healthy, or one task of what failed -> standing approval or the owner -> its run -> the checks again.
 * May import `#tools`, `#model` and `#base` only; the YAML reader, the time and the facts about skills are given to it.
 * Invariants: a plan never sets what the runtime keeps (PLAN-04); commands are argument lists, no shell reads them
 * (PLAN-03); equal plans have equal bytes, and every field that changes the effect changes the hash (PLAN-08 to
 * PLAN-11); all problems of a file come together, each with its line.
 */
export { compileBatch } from "./batch/compile.ts";
export { movedOf, outcomesOf } from "./batch/outcomes.ts";
export { reviewItems } from "./batch/review.ts";
export { tidyBatches, type FileFact, type FolderFacts, type LeftAlone, type TidySettings } from "./batch/tidy.ts";
export type { PlannerFact } from "./consult/cascade.ts";
export { beginReplan, isRevised, renderRevision } from "./consult/replan.ts";
export { isGrantable } from "./steps/check-steps.ts";
export { splitCommand } from "./command-line.ts";
export {
  parsePlan,
  type ParsedPlan,
  type PlanNotice,
  type PlanSource,
  type ReadYaml,
  placeAbsentTools,
  placeGateProblems,
  placeNothingToDo,
} from "./parse-plan.ts";
export { advanceCycle, beginCycle, failedChecks, repairTask, resumeCycle } from "./goal/cycle.ts";
export type { CycleEffect, CycleFact, CycleState } from "./goal/cycle-facts.ts";
export { planTimer, type DuePlan, type Timetable } from "./timer/due.ts";
export { admitted, type Claim, type PoolLimits } from "./pool/pool.ts";
export { admitIdeas, staleSuggestions, type SuggestLimits } from "./suggest/admit.ts";
export {
  RUN_FOR_MS,
  suggestAfter,
  suggestIdle,
  type GoalFact,
  type Idea,
  type MissedFact,
  type EndedRun,
  type SuggestFacts,
} from "./suggest/suggest.ts";
export { decideProject, judgeProject, unmetOf, usedBy, type ProjectEnd, type ProjectPlan } from "./project/decide.ts";
export { orderTasks } from "./project/order.ts";
export { moveText } from "./model-run/read-move.ts";
export { advanceRun, createRun, reloadRun } from "./run/machine.ts";
export type {
  Advice,
  AskedCall,
  GateMoment,
  GatesHeld,
  GatesPassed,
  ModelQuestioning,
  ModelSilent,
  ModelSpoke,
  QuestionReady,
  QuestionRefused,
  RunEffect,
  RunFact,
  RunPlan,
  RunState,
  RunWrite,
  Verdict,
} from "./run/facts.ts";
export { callIn } from "./run/start-step.ts";
export { sealResult, type StepSeen } from "./run/result.ts";
export { connectionUse, connectionUseIn, type ConnectionUse } from "./steps/connection-use.ts";
export { callOf, readStep } from "./steps/tool-call.ts";
export {
  changedBetween,
  isCheckProgram,
  mayDecideCheck,
  type CheckFiles,
  proves,
  checkNotRun,
  judgeOutput,
} from "./verify/expectation.ts";
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
export { problemAt, type PlanProblem, type PlanProblemCode, type PlanProblems } from "./problems.ts";
export { buildSpawnedTask, readSpawn } from "./spawn.ts";
export { lookedAt, planCare } from "./connection/care.ts";
export { chooseStrategy, firstPermissions } from "./connection/discovery.ts";
export { failureCard, recoveryOptions, retryMinutes } from "./connection/failure-card.ts";
export { itRequestPlan } from "./connection/it-request.ts";
export { connectionScript } from "./connection/read-connection.ts";
export {
  advanceSetup,
  SETUP_BEGINS,
  type Completion,
  type SetupEffect,
  type SetupFact,
  type SetupState,
  type StepPayload,
} from "./connection/setup-machine.ts";
export { cardOfStep } from "./connection/step-card.ts";
export { withEffectiveSkills, approvedSkills, skillFact } from "./skills.ts";
export type { SkillManifest } from "./skill/manifest.ts";
export { readManifest } from "./skill/read-document.ts";
export { resolveScript } from "./skill/resolve-script.ts";
export { fillArguments, trialArguments } from "./skill/script-arguments.ts";
export {
  validateSkill,
  type CheckedSkill,
  type CredentialFact,
  type SkillRules,
  type SyntaxFact,
} from "./skill/validate.ts";
