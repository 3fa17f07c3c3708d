import type { YamlRefusalCode } from "#base";
import type { GateProblemCode, KeyPath } from "#model";

/** Reasons of the plan as a whole. */
export type FormRefusalCode =
  | "body_empty"
  | "body_too_large"
  | "byte_order_mark"
  | "front_matter_missing"
  | "front_matter_not_map"
  | "front_matter_too_large"
  | "front_matter_unterminated"
  | "holds_secret"
  | "lone_surrogate"
  | "nul_character"
  | "plan_too_large"
  | "secret_scan_failed"
  | "too_many_problems";

/** Reasons of one command line. */
export type CommandRefusalCode =
  | "command_assignment"
  | "command_empty"
  | "command_expansion"
  | "command_operator"
  | "command_too_long"
  | "command_unfinished";

/** Reasons of one field, or of fields that do not fit each other. */
type FieldRefusalCode =
  | "agent_lane_invalid"
  | "ask_runs_nothing"
  | "ask_unanswerable"
  | "connection_offline"
  | "credential_host_not_granted"
  | "credential_looks_like_secret"
  | "credential_not_for_tool"
  | "credential_offline"
  | "credential_piped"
  | "dependency_cycle"
  | "escalation_cycle"
  | "gate_expectation_alone"
  | "gate_pattern_missing"
  | "gate_step_missing"
  | "host_refused"
  | "hosts_unused"
  | "missing_key"
  | "model_absent"
  | "grant_overlaps"
  | "grant_refused"
  | "name_repeated"
  | "network_without_hosts"
  | "not_for_type"
  | "not_with_steps"
  | "path_refused"
  | "pattern_refused"
  | "predicate_missing"
  | "predicate_repeated"
  | "runtime_field"
  | "schedule_invalid"
  | "schedule_never"
  | "grant_missing"
  | "skill_not_listed"
  | "skill_script_refused"
  | "step_args_alone"
  | "step_has_both"
  | "step_has_neither"
  | "step_path_refused"
  | "steps_empty"
  | "steps_missing"
  | "steps_without_repair"
  | "unknown_escalation"
  | "unknown_key"
  | "unknown_tool"
  | "unsafe_text"
  | "wrong_value";

export type PlanProblemCode =
  | YamlRefusalCode
  | FormRefusalCode
  | CommandRefusalCode
  | FieldRefusalCode
  | GateProblemCode;

export type Position = { readonly line: number; readonly column: number };

/** One thing to repair. Line and column count from 1 in the plan file. */
export type PlanProblem = Position & {
  readonly code: PlanProblemCode;
  /** Dotted wire key, or null when the file as a whole is meant. */
  readonly key: string | null;
  /** What the key takes. */
  readonly expected: string | null;
  /** The name that was probably meant. */
  readonly nearest: string | null;
  /** What was found: the operator in a command, the predicates that were set, the ids of a cycle. */
  readonly found: readonly string[];
};
export type PlanProblems = readonly [PlanProblem, ...PlanProblem[]];

export type Reason = { readonly code: FieldRefusalCode | CommandRefusalCode } & Partial<
  Pick<PlanProblem, "expected" | "nearest" | "found">
>;
/** Notes one problem at the key it belongs to. */
export type Report = (path: KeyPath, reason: Reason) => void;

export function problemAt(
  position: Position,
  rest: Pick<PlanProblem, "code"> & Partial<Omit<PlanProblem, "code">>,
): PlanProblem {
  return { key: null, expected: null, nearest: null, found: [], ...rest, line: position.line, column: position.column };
}
