import { LIMITS } from "#base";
import type { GateProblem } from "#model";
import type { PlanSource } from "./parse-plan.ts";
import { FRONT_MATTER_LINE, splitPlan } from "./plan-form.ts";
import { problemAt, type PlanProblem } from "./problems.ts";

/**
 * What others found wrong with the parts of a plan, at the places where the plan says it. The file is read once more for
 * that: a plan nobody finds fault with carries no map of its lines.
 */
export function placeGateProblems(
  { markdown, readYaml }: PlanSource,
  problems: readonly GateProblem[],
): readonly PlanProblem[] {
  const form = splitPlan(markdown);
  const document = form.ok ? readYaml(form.value.frontMatter) : form;
  return problems.slice(0, LIMITS.planProblems).map(({ code, path, found, gateName, nearest }) => {
    const { line, column } = document.ok ? document.value.locate(path) : { line: 1, column: 1 };
    const at = { line: line + FRONT_MATTER_LINE - 1, column };
    return problemAt(at, { code, key: path.join("."), found: [found, gateName], nearest });
  });
}
