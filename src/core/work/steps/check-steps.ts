import { isPathInside, LIMITS, type JsonValue } from "#base";
import { spawnsTask, type Step } from "#model";
import { isAskingCall, isSkillCall, toolOf, type ToolCall } from "#tools";
import type { Report } from "../problems.ts";
import type { WireRecord } from "../read-fields.ts";
import { checkConnection } from "./connection-use.ts";
import { checkCredentials } from "./check-credentials.ts";
import { checkModel } from "./check-model.ts";
import { checkNetwork } from "./check-network.ts";
import { checkGrants, isGranted, isRepositoryPlace } from "./grants.ts";
import { readStep } from "./tool-call.ts";

type Written = { readonly written: WireRecord; readonly report: Report };

/** What the shape of steps and grants cannot say. Everything that would be ignored is refused instead. */
export function checkSteps(wire: WireRecord, { written, report }: Written): void {
  const steps = listOf(wire["steps"]);
  const files = filesOf(wire["files"]);
  const raw = listOf(written["steps"]);
  if (Array.isArray(written["steps"]) && raw.length === 0) report(["steps"], { code: "steps_empty" });
  if (wire["type"] === "project") {
    if (raw.length > 0) report(["steps"], { code: "not_for_type", expected: "task or goal" });
    if (files.read.length + files.write.length > 0) {
      report(["files"], { code: "not_for_type", expected: "task or goal" });
    }
  }
  // The steps of a goal are those of its repairs, and one that repairs nothing would never run them.
  if (wire["type"] === "goal" && steps.length > 0 && !spawnsTask(wire as { readonly [field: string]: JsonValue })) {
    report(["steps"], { code: "steps_without_repair" });
  }
  checkGrants(files, report);
  checkRepository(wire, report);
  checkBatches(wire, { report, files });
  checkNetwork(wire, report);
  checkModel(wire, report);
  if (steps.length > 0 || wire["executor"] === "model") {
    checkCompany(wire, report);
    checkGates(wire, report);
  }
  steps.forEach((step, index) => {
    if (!isRecord(step)) return;
    const at: Report = (path, reason) => report(["steps", index, ...path], reason);
    const own = { written: isRecord(raw[index]) ? raw[index] : {}, report: at };
    checkStep(step, { ...own, files, skills: skillsOf(wire, written) });
    checkConnection(step, { report: at, type: wire["type"] });
    checkCredentials(step, { ...own, hosts: textsOf(wire["hosts"]), type: wire["type"] });
  });
}

/** Only steps get a tree of a repository, and its place is named like any other. */
function checkRepository({ repository, type, steps }: WireRecord, report: Report): void {
  if (!isRecord(repository)) return;
  const isForSteps = type === "task" && listOf(steps).length > 0;
  if (!isForSteps && type !== null) report(["repository"], { code: "not_for_type", expected: "task with steps" });
  const { path } = repository;
  if (typeof path === "string" && !isRepositoryPlace(path)) report(["repository", "path"], { code: "grant_refused" });
}

/** Only a goal looks again and again, and only where it may read. [BATCH-01] */
function checkBatches(
  { reviewed_batches: batches, type }: WireRecord,
  { report, files }: { readonly report: Report; readonly files: Grants },
): void {
  if (!isRecord(batches)) return;
  if (type !== "goal" && type !== null) report(["reviewed_batches"], { code: "not_for_type", expected: "goal" });
  const { folder } = batches;
  if (typeof folder !== "string" || isGranted(folder, { files, access: "read" })) return;
  report(["reviewed_batches", "folder"], { code: "grant_missing", expected: GRANTS.read });
}

type Grants = { readonly read: readonly string[]; readonly write: readonly string[] };

/** What the plan lists; null where it writes no list and may inherit one. */
const skillsOf = (wire: WireRecord, written: WireRecord): readonly string[] | null =>
  Object.hasOwn(written, "skills") ? textsOf(wire["skills"]) : null;

type StepCompany = Written & { readonly files: Grants; readonly skills: readonly string[] | null };

/** What is wrong with one call: its form, and the places it names. */
export function checkStep(step: WireRecord, { written, report, files, skills }: StepCompany): void {
  for (const [name, path] of Object.entries(isRecord(step["artifacts"]) ? step["artifacts"] : {})) {
    if (typeof path === "string" && !isPathInside(path)) report(["artifacts", name], { code: "path_refused" });
  }
  // A value that was refused is null by now, and was reported where it stands.
  const wasRefused = ["run", "tool", "args"].some((key) => (written[key] ?? null) !== null && step[key] === null);
  if (wasRefused || step["args"] === null) return;
  const call = readStep(step as Pick<Step, "run" | "tool" | "args">);
  if (!call.ok) return call.error.forEach(({ path, ...reason }) => report(path, reason));
  if (isSkillCall(call.value) && skills !== null && !skills.includes(call.value.args.skill)) {
    report(["args", "skill"], { code: "skill_not_listed", expected: "a skill of the plan" });
  }
  checkAsking(call.value, { step, report });
  for (const { key, path, access, isFolder } of toolOf(call.value).touches(call.value.args).places) {
    const isAllowed =
      isPathInside(path) ||
      (isFolder === true && path === ".") ||
      (!isAskingCall(call.value) && isGranted(path, { files, access }));
    if (!isAllowed) report(["args", key], { code: "step_path_refused", expected: GRANTS[access] });
  }
}

/** What asks the owner runs no program, so that nothing a program would need belongs to it. */
function checkAsking(call: ToolCall, { step, report }: { readonly step: WireRecord; readonly report: Report }): void {
  if (!isAskingCall(call)) return;
  if (toolOf(call).asks?.isAnswerable(call.args) !== true) report(["args", "options"], { code: "ask_unanswerable" });
  if (step["network"] === true) report(["network"], { code: "ask_runs_nothing" });
  const secrets = step["credentials"];
  if (isRecord(secrets) && Object.keys(secrets).length > 0) report(["credentials"], { code: "ask_runs_nothing" });
}

const GRANTS = { read: "a path of files.read or files.write", write: "a path of files.write" } as const;

/** Results are taken over from somewhere. */
function checkCompany(wire: WireRecord, report: Report): void {
  if (listOf(wire["input_artifacts_from"]).length > 0 && wire["follow_up_of"] === null) {
    report(["follow_up_of"], { code: "missing_key", expected: "the work that input_artifacts_from takes results of" });
  }
}

/** A gate that would never be asked promises what does not happen. */
function checkGates(wire: WireRecord, report: Report): void {
  const steps = wire["executor"] === "model" ? LIMITS.modelCalls : listOf(wire["steps"]).length;
  listOf(wire["gates"]).forEach((gate, index) => {
    if (!isRecord(gate)) return;
    const refuse = (key: string, expected: string): void =>
      report(["gates", index, key], { code: "not_with_steps", expected });
    const { on, after_step: step, type } = gate;
    if (on === "every_user_message" || on === "every_agent_response") refuse("on", "steps hear and say nothing");
    if (typeof step === "number" && step >= steps) refuse("after_step", `steps are counted from 0 to ${steps - 1}`);
    if (type === "file_valid") refuse("type", "a check in verify looks at files");
  });
}

function filesOf(value: unknown): Grants {
  const files = isRecord(value) ? value : {};
  return { read: textsOf(files["read"]), write: textsOf(files["write"]) };
}

const isRecord = (value: unknown): value is WireRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textsOf = (value: unknown): readonly string[] => listOf(value).filter((item) => typeof item === "string");
