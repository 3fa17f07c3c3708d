import { LIMITS } from "#base";
import type { GateProblem, WorkItem } from "#model";
import type { PlanSource } from "./parse-plan.ts";
import { FRONT_MATTER_LINE, splitPlan } from "./plan-form.ts";
import { problemAt, type KeyPath, type PlanProblem, type Position } from "./problems.ts";

/**
 * What others found wrong with the parts of a plan, at the places where the plan says it. The file is read once more for
 * that: a plan nobody finds fault with carries no map of its lines.
 */
export function placeGateProblems(
  { markdown, readYaml }: PlanSource,
  problems: readonly GateProblem[],
): readonly PlanProblem[] {
  if (problems.length === 0) return [];
  const locate = locator({ markdown, readYaml });
  return problems
    .slice(0, LIMITS.planProblems)
    .map(({ code, path, found, gateName, nearest }) =>
      problemAt(locate(path), { code, key: path.join("."), found: [found, gateName], nearest }),
    );
}

type Tools = { readonly item: Pick<WorkItem, "steps" | "executor">; readonly absentTools: readonly string[] };

/** Steps that name a tool which is not set up here: for them it does not exist. So it is with a model. [EXEC-08] */
export function placeAbsentTools(
  source: Pick<PlanSource, "markdown" | "readYaml">,
  { item, absentTools }: Tools,
): readonly PlanProblem[] {
  const wanting = item.steps.flatMap(({ tool }, index) => (absentTools.includes(tool ?? "") ? [index] : []));
  const isModelAbsent = item.executor !== null && absentTools.includes(item.executor);
  if (wanting.length === 0 && !isModelAbsent) return [];
  const locate = locator(source);
  if (isModelAbsent) return [problemAt(locate(["executor"]), { code: "model_absent", key: "executor" })];
  return wanting.map((index) => {
    const path = ["steps", index, "tool"];
    const found = [item.steps[index]?.tool ?? ""];
    return problemAt(locate(path), { code: "unknown_tool", key: path.join("."), found });
  });
}

/** A task that nothing would carry out: it could be approved, and then nothing would happen. */
export function placeNothingToDo(
  source: Pick<PlanSource, "markdown" | "readYaml">,
  { type, steps, executor }: Pick<WorkItem, "type" | "steps" | "executor">,
): readonly PlanProblem[] {
  if (type !== "task" || steps.length > 0 || executor !== null) return [];
  return [problemAt(locator(source)(["type"]), { code: "steps_missing", key: "steps" })];
}

function locator({ markdown, readYaml }: Pick<PlanSource, "markdown" | "readYaml">) {
  const form = splitPlan(markdown);
  const document = form.ok ? readYaml(form.value.frontMatter) : form;
  return (path: KeyPath): Position => {
    const { line, column } = document.ok ? document.value.locate(path) : { line: 1, column: 1 };
    return { line: line + FRONT_MATTER_LINE - 1, column };
  };
}
