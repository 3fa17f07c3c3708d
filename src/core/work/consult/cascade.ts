import { LIMITS } from "#base";
import type { WorkItem } from "#model";

/** What a plan says under `on_stuck` for the planner to be asked. It is what plans say that say nothing. */
export const CONSULT_PLANNER = "consult_planner";

/** Whether there is a planner for this run: a model, and a plan that stands alone. */
export type PlannerFact = "set" | "absent";

export type Stuck = {
  /** What failed: advice is about what checks say, and about nothing else. */
  readonly failed: "check" | "other";
  readonly attempts: number;
  /** Whether one more attempt may begin. */
  readonly budget: "left" | "used_up";
  readonly plannerCalls: number;
  readonly plannerCallsMax: number;
  readonly planner: PlannerFact;
  readonly plan: Pick<WorkItem, "executor" | "onStuck">;
};
export type Level = "retry" | "consult" | "replan" | "owner";

/**
 * What follows a failure. Levels are entered in this order, each once the one before is used up: three failed attempts
 * for trying again, the planner's calls or the budget for advice; the attempts that follow advice belong to it. Steps
 * read no advice, so that for them another plan is what follows trying. [CONSULT-04] [WORK-30]
 */
export function nextLevel({ failed, attempts, budget, plannerCalls, plannerCallsMax, planner, plan }: Stuck): Level {
  const mayAsk = planner === "set" && plan.onStuck === CONSULT_PLANNER;
  if (budget === "used_up") return mayAsk ? "replan" : "owner";
  const isDue = failed === "check" && attempts >= LIMITS.attemptsBeforeAdvice && plannerCalls < plannerCallsMax;
  return mayAsk && isDue && plan.executor === "model" ? "consult" : "retry";
}
