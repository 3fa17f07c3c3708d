import { err, type Result } from "#base";
import type { GateProblem, WorkItem } from "#model";
import {
  parsePlan,
  placeAbsentTools,
  placeGateProblems,
  type ParsedPlan,
  type PlanProblems,
  type PlanSource,
} from "#work";
import { planGateProblems } from "./registry.ts";

/**
 * Reads a plan for use: what parses, and asks for nothing this Silas cannot check. A gate without a provider would only
 * block later, when the owner has long approved the plan. [GATE-24]
 */
export function readPlan({
  absentTools = [],
  systemGates = [],
  ...source
}: PlanToUse): Result<ParsedPlan, PlanProblems> {
  const parsed = parsePlan(source);
  if (!parsed.ok) return parsed;
  const { item } = parsed.value;
  const gates = placeGateProblems(source, [...planGateProblems(item), ...namesTaken(item, systemGates)]);
  const [first, ...rest] = [...gates, ...placeAbsentTools(source, { item, absentTools })];
  return first === undefined ? parsed : err([first, ...rest]);
}

type PlanToUse = PlanSource & {
  /** Tools that are not set up here. What was approved before is read without them. */
  readonly absentTools?: readonly string[];
  /** Names of the gates of the configuration. A plan adds to them and stands in the place of none. [GATE-02] */
  readonly systemGates?: readonly string[];
};

const namesTaken = ({ gates }: WorkItem, systemGates: readonly string[]): readonly GateProblem[] =>
  gates.flatMap(({ name }, index) =>
    systemGates.includes(name)
      ? [{ code: "gate_name_taken", path: ["gates", index, "name"], gateName: name, found: "", nearest: null }]
      : [],
  );
