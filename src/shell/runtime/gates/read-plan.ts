import { err, type Result } from "#base";
import { parsePlan, placeGateProblems, type ParsedPlan, type PlanProblems, type PlanSource } from "#work";
import { planGateProblems } from "./registry.ts";

/**
 * Reads a plan for use: what parses, and asks for nothing this Silas cannot check. A gate without a provider would only
 * block later, when the owner has long approved the plan. [GATE-24]
 */
export function readPlan(source: PlanSource): Result<ParsedPlan, PlanProblems> {
  const parsed = parsePlan(source);
  if (!parsed.ok) return parsed;
  const [first, ...rest] = placeGateProblems(source, planGateProblems(parsed.value.item));
  return first === undefined ? parsed : err([first, ...rest]);
}
