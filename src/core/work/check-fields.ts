import { ESCALATION_ACTIONS, predicatesOf, type WireRecord, type KeyPath } from "#model";
import { isPathInside, nearest } from "#base";
import { splitCommand } from "./command-line.ts";
import { everOccurs, isPattern, isSchedule } from "./field-forms.ts";
import type { Report } from "./problems.ts";

/** What the shape of a plan cannot say: fields that must fit each other, and texts with a grammar of their own. */
export function checkFields(wire: WireRecord, report: Report): void {
  checkType(wire, report);
  checkVerification(wire, report);
  checkGates(wire, report);
  checkNames(wire, report);
  checkCycles(wire, report);
  checkEscalation(wire, report);
}

function checkType(wire: WireRecord, report: Report): void {
  const { type, agent, schedule } = wire;
  if (type === null) return;
  // WORK-05: only a goal may live in the conversation itself.
  if (type !== "goal" && agent === "stream") report(["agent"], { code: "agent_lane_invalid", expected: "ephemeral" });
  if (typeof schedule === "string") {
    if (type !== "goal") report(["schedule"], { code: "not_for_type", expected: "goal" });
    if (!isSchedule(schedule)) report(["schedule"], { code: "schedule_invalid" });
    else if (!everOccurs(schedule)) report(["schedule"], { code: "schedule_never" });
  }
  if (type !== "project" && textsOf(wire["tasks"]).length > 0) {
    report(["tasks"], { code: "not_for_type", expected: "project" });
  }
}

function checkVerification(wire: WireRecord, report: Report): void {
  recordsOf(wire["verify"]).forEach((check, index) => {
    const path = ["verify", index];
    checkCommand(check["run"], { path: [...path, "run"], report });
    if (isRecord(check["expect"])) checkExpectation(check["expect"], { path: [...path, "expect"], report });
  });
}

function checkGates(wire: WireRecord, report: Report): void {
  recordsOf(wire["gates"]).forEach((gate, index) => {
    const path = ["gates", index];
    checkCommand(gate["check_command"], { path: [...path, "check_command"], report });
    const expect = gate["check_expect"];
    if (isRecord(expect)) {
      checkExpectation(expect, { path: [...path, "check_expect"], report });
      if (gate["check_command"] === null) report([...path, "check_expect"], { code: "gate_expectation_alone" });
    }
    if ((gate["on"] === "after_step") !== (gate["after_step"] !== null) && gate["on"] !== null) {
      report([...path, "after_step"], { code: "gate_step_missing" });
    }
    if (gate["type"] === "regex") checkGatePattern(gate["config"], { path: [...path, "config"], report });
  });
}

type Where = { readonly path: KeyPath; readonly report: Report };

function checkGatePattern(config: unknown, { path, report }: Where): void {
  const pattern = isRecord(config) && Object.hasOwn(config, "pattern") ? config["pattern"] : null;
  if (typeof pattern !== "string" || pattern === "") report(path, { code: "gate_pattern_missing" });
  else if (!isPattern(pattern)) report([...path, "pattern"], { code: "pattern_refused" });
}

function checkCommand(command: unknown, { path, report }: Where): void {
  if (typeof command !== "string") return;
  const words = splitCommand(command);
  if (!words.ok) report(path, { code: words.error.code, found: [words.error.found] });
}

/** VER-02: exactly one predicate, and one that can be judged. */
function checkExpectation(expect: WireRecord, { path, report }: Where): void {
  const set = predicatesOf(expect);
  if (set.length === 0) report(path, { code: "predicate_missing" });
  if (set.length > 1) report(path, { code: "predicate_repeated", found: set });
  const { regex, file_exists: file } = expect;
  if (typeof regex === "string" && !isPattern(regex)) report([...path, "regex"], { code: "pattern_refused" });
  if (typeof file === "string" && !isPathInside(file)) report([...path, "file_exists"], { code: "path_refused" });
}

/** Lists in which a name may stand once. */
function checkNames(wire: WireRecord, report: Report): void {
  for (const name of ["skills", "tools", "tasks", "depends_on", "input_artifacts_from"]) {
    reportRepeated(textsOf(wire[name]), (index) => report([name, index], { code: "name_repeated" }));
  }
  for (const name of ["steps", "verify", "gates"]) {
    const names = recordsOf(wire[name]).map((part) => part["name"]);
    reportRepeated(names, (index) => report([name, index, "name"], { code: "name_repeated" }));
  }
  const artifacts = textsOf(wire["input_artifacts_from"]);
  if (artifacts.length > 1 && artifacts.includes("*")) {
    report(["input_artifacts_from"], { code: "wrong_value", expected: "either * or names" });
  }
}

function reportRepeated(names: readonly unknown[], found: (index: number) => void): void {
  const seen = new Set<unknown>();
  names.forEach((name, index) => {
    if (name !== null && seen.has(name)) found(index);
    seen.add(name);
  });
}

/** One plan can close a circle through itself only: by naming itself, or by waiting for its own parent or child. */
function checkCycles(wire: WireRecord, report: Report): void {
  const { id, parent } = wire;
  if (typeof id !== "string") return;
  for (const name of ["parent", "spawned_by", "follow_up_of"]) {
    if (wire[name] === id) report([name], { code: "dependency_cycle", found: [id] });
  }
  const tasks = textsOf(wire["tasks"]);
  const isFamily = (other: string): boolean => other === id || other === parent;
  tasks.forEach((task, index) => {
    if (isFamily(task)) report(["tasks", index], { code: "dependency_cycle", found: [id, task] });
  });
  textsOf(wire["depends_on"]).forEach((other, index) => {
    const isCycle = isFamily(other) || tasks.includes(other);
    if (isCycle) report(["depends_on", index], { code: "dependency_cycle", found: [id, other] });
  });
}

function checkEscalation(wire: WireRecord, report: Report): void {
  const actions = isRecord(wire["escalation"]) ? wire["escalation"] : {};
  const known = [...Object.keys(actions), ...ESCALATION_ACTIONS];
  const checkName = (path: KeyPath, value: unknown, also: readonly string[] = []): void => {
    if (typeof value !== "string" || known.includes(value) || also.includes(value)) return;
    report(path, { code: "unknown_escalation", nearest: nearest(value, [...known, ...also]) });
  };
  checkName(["on_failure"], wire["on_failure"]);
  checkName(["on_stuck"], wire["on_stuck"], ["consult_planner"]);
  recordsOf(wire["gates"]).forEach((gate, index) => checkName(["gates", index, "on_block"], gate["on_block"]));
  for (const [name, action] of Object.entries(actions)) {
    const path = ["escalation", name, "fallback"];
    checkName(path, isRecord(action) ? action["fallback"] : null);
    if (fallsBackOnItself(name, actions)) report(path, { code: "escalation_cycle", found: [name] });
  }
}

function fallsBackOnItself(start: string, actions: WireRecord): boolean {
  let name: unknown = start;
  // No chain without a circle is longer than the number of names.
  for (let steps = Object.keys(actions).length; steps > 0; steps -= 1) {
    const action = typeof name === "string" && Object.hasOwn(actions, name) ? actions[name] : null;
    name = isRecord(action) ? action["fallback"] : null;
    if (name === start) return true;
  }
  return false;
}

function isRecord(value: unknown): value is WireRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Records that were read; a part that was refused stays in its place as an empty one. */
function recordsOf(value: unknown): readonly WireRecord[] {
  return Array.isArray(value) ? value.map((item: unknown) => (isRecord(item) ? item : NOTHING)) : [];
}
const NOTHING: WireRecord = { name: null, on: null, after_step: null, type: null, check_command: null };

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
