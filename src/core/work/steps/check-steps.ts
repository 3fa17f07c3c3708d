import { isPathInside, LIMITS, type JsonValue, nearest } from "#base";
import { spawnsTask, type Step, hostWords, parseHostRule, type WireRecord } from "#model";
import { isAskingCall, isSkillCall, toolOf, type ToolCall, namesOffered } from "#tools";
import type { Report } from "../problems.ts";
import { checkConnection } from "./connection-use.ts";
import { checkCredentials } from "./check-credentials.ts";
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

/** A model that chooses what is done, and what it may choose of. What it would not heed is refused. */
function checkModel({ executor, tools, steps, type }: WireRecord, report: Report): void {
  const listed = Array.isArray(tools) ? tools.filter((tool) => typeof tool === "string") : [];
  const known = namesOffered("plan", "executor");
  listed.forEach((tool, index) => {
    if (!known.includes(tool)) report(["tools", index], { code: "unknown_tool", nearest: nearest(tool, known) });
  });
  if (executor !== "model") {
    if (listed.length > 0) report(["executor"], { code: "missing_key", expected: "model, which tools are for" });
    return;
  }
  if (type !== null && type !== "task") report(["executor"], { code: "not_for_type", expected: "task" });
  const hasSteps = Array.isArray(steps) && steps.length > 0;
  if (hasSteps) report(["executor"], { code: "not_with_steps", expected: "either they say what is done, or a model" });
}

/**
 * What may be reached, and who reaches it, belong together: network without hosts could reach nothing, and hosts that
 * nobody uses would be approved for nothing.
 */
function checkNetwork(wire: WireRecord, report: Report): void {
  const hosts = listOf(wire["hosts"]).filter((host) => typeof host === "string");
  checkHosts(hosts, report);
  const steps = listOf(wire["steps"]);
  if (steps.length === 0 && wire["executor"] !== "model") return;
  const parts = [...partsOf("steps", steps), ...partsOf("verify", listOf(wire["verify"]))];
  const online = parts.filter(({ part }) => part["network"] === true);
  if (hosts.length > 0 && online.length === 0) report(["hosts"], { code: "hosts_unused" });
  if (hosts.length > 0) return;
  for (const { name, index } of online) report([name, index, "network"], { code: "network_without_hosts" });
}

function checkHosts(hosts: readonly string[], report: Report): void {
  const known = new Set<string>();
  hosts.forEach((text, index) => {
    const rule = parseHostRule(text);
    if (rule === null) return report(["hosts", index], { code: "host_refused" });
    if (known.has(hostWords(rule))) report(["hosts", index], { code: "name_repeated" });
    known.add(hostWords(rule));
  });
}

function partsOf(name: string, parts: readonly unknown[]) {
  return parts.flatMap((part, index) => (isRecord(part) ? [{ name, index, part }] : []));
}

/** Places a sandbox has of its own. A grant there would hide them, or be hidden by them. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib[^/]*|etc|proc|dev|sys|run|tmp|opt\/silas|workspace)(?:\/|$)/;

/**
 * A grant is one plain absolute path: no `.` or `..`, no trailing slash, neither the root nor a place of the system. Two
 * of them never lie in each other, so that one path has one answer. Links and Silas' own folders are judged where the
 * path is opened.
 */
export function checkGrants(files: Grants, report: Report): void {
  const all = [...files.read, ...files.write];
  for (const access of ["read", "write"] as const) {
    files[access].forEach((path, index) => {
      const at = ["files", access, index];
      const offset = access === "read" ? index : files.read.length + index;
      if (!isGrantable(path)) return report(at, { code: "grant_refused" });
      const outer = all.find((other, place) => place !== offset && isWithin(path, other));
      if (outer !== undefined) report(at, { code: "grant_overlaps", found: [outer] });
    });
  }
}

/** Whether a path of a tool lies in what was granted for it; what may be changed may be read. */
function isGranted(path: string, { files, access }: { files: Grants; access: "read" | "write" }): boolean {
  const places = access === "write" ? files.write : [...files.read, ...files.write];
  return isPlain(path) && places.some((place) => isWithin(path, place));
}

/** Where a repository may lie: it is seen at a place of its own, so that also `/tmp` is one. */
const isRepositoryPlace = (path: string): boolean => isPlain(path) && !/^\/(?:proc|dev|sys|run)(?:\/|$)/.test(path);
const isPlain = (path: string): boolean => path.startsWith("/") && isPathInside(path.slice(1));
/** Whether a plan may name this place at all. */
export const isGrantable = (path: string): boolean => isPlain(path) && !SYSTEM.test(path);
const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
