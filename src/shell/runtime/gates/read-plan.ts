import { err, type Result } from "#base";
import type { GateProblem, WorkItem } from "#model";
import {
  parsePlan,
  placeAbsentTools,
  placeGateProblems,
  placeNothingToDo,
  problemAt,
  type ParsedPlan,
  type PlanProblems,
  type PlanSource,
} from "#work";
import { findSecrets } from "../secrets/find-secrets.ts";
import { planGateProblems } from "./registry.ts";

/**
 * Reads a plan for use: what parses, and asks for nothing this Silas cannot check. A gate without a provider would only
 * block later, when the owner has long approved the plan. [GATE-24]
 */
export function readPlan({
  absentTools = [],
  systemGates = [],
  mustAct = false,
  ...source
}: PlanToUse): Result<ParsedPlan, PlanProblems> {
  const parsed = parsePlan(source);
  if (!parsed.ok) return parsed;
  const { item } = parsed.value;
  const gates = placeGateProblems(source, [...planGateProblems(item), ...namesTaken(item, systemGates)]);
  const idle = mustAct ? placeNothingToDo(source, item) : [];
  const [first, ...rest] = [...gates, ...placeAbsentTools(source, { item, absentTools }), ...idle];
  return first === undefined ? parsed : err([first, ...rest]);
}

/** The same for somebody who wrote the plan: also whether anything would be done, and where it holds a password or a key. */
export async function checkPlan(plan: PlanToUse, find = findSecrets): Promise<Result<ParsedPlan, PlanProblems>> {
  const parsed = readPlan({ ...plan, mustAct: true });
  if (!parsed.ok) return parsed;
  const scan = await find(plan.markdown);
  if (!scan.ok) return err([problemAt({ line: 1, column: 1 }, { code: "secret_scan_failed" })]);
  const [first, ...rest] = scan.value.map(({ kind, start }) => {
    const lines = plan.markdown.slice(0, start).split("\n");
    const column = (lines.at(-1) ?? "").length + 1;
    return problemAt({ line: lines.length, column }, { code: "holds_secret", found: [kind] });
  });
  return first === undefined ? parsed : err([first, ...rest]);
}

type PlanToUse = PlanSource & {
  /** Tools that are not set up here. What was approved before is read without them. */
  readonly absentTools?: readonly string[];
  /** Names of the gates of the configuration. A plan adds to them and stands in the place of none. [GATE-02] */
  readonly systemGates?: readonly string[];
  /** For what is still to be approved: a task says what is done. What was approved before is read as it is. */
  readonly mustAct?: boolean;
};

const namesTaken = ({ gates }: WorkItem, systemGates: readonly string[]): readonly GateProblem[] =>
  gates.flatMap(({ name }, index) =>
    systemGates.includes(name)
      ? [{ code: "gate_name_taken", path: ["gates", index, "name"], gateName: name, found: "", nearest: null }]
      : [],
  );
