import { bareJson, err, LIMITS, ok, oneLine, parseStrictJson, type Result } from "#base";
import { RETURN_CHARS, STEP, toCamel, type AnswerPart, type Step, readRecord, type WireRecord } from "#model";
import { isSkillCall, isStepTool, namesOffered, toolOf, TOOLS, type ExecutorOutput, type ToolCall } from "#tools";
import type { Report } from "../problems.ts";
import { checkStep } from "../steps/check-steps.ts";
import { readStep } from "../steps/tool-call.ts";
import { problemSentence } from "./move-problems.ts";
import type { ModelPlan } from "./answers.ts";

/** What a model answered: one call of a tool, or the end. */
type ModelMove =
  | { readonly kind: "call"; readonly step: Step }
  | { readonly kind: "end"; readonly output: ExecutorOutput };
/** What is wrong with an answer, in words for the model. */
type MoveProblem = { readonly summary: string };

/**
 * Reads one answer. A call is held to the same schemas and grants as a step of a plan, and to the tools the plan lists:
 * what does not fit is no answer, and nothing of it is ever done. [EXEC-05] [INV-05]
 */
export function readMove(text: string, plan: ModelPlan): Result<ModelMove, MoveProblem> {
  const bare = bareJson(text);
  if (bare.length > RETURN_CHARS) return refuse(`The answer is longer than ${RETURN_CHARS} characters.`);
  const json = parseStrictJson(bare);
  if (!json.ok) return refuse("The answer is not one JSON object.");
  const isCall = typeof json.value === "object" && json.value !== null && "tool" in json.value;
  return isCall ? readCall(json.value as WireRecord, plan) : readEnd(json.value, plan);
}

/**
 * An answer of a model as the text that is kept of it: its first call, or its words. Later calls of the same answer are
 * not made; the next question shows which call was.
 */
export function moveText(parts: readonly AnswerPart[]): string {
  const call = parts.find((part) => part.kind === "tool_call");
  if (call === undefined) return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("");
  if (call.name === TOOLS.finish.name) return call.args;
  const json = parseStrictJson(call.args.trim() === "" ? "{}" : call.args);
  // What is no JSON is refused in words when it is read.
  if (!json.ok || typeof json.value !== "object" || json.value === null) return `${call.name} ${call.args}`;
  const { artifacts, ...args } = json.value as { readonly artifacts?: unknown };
  return JSON.stringify({ tool: call.name, args, ...(artifacts === undefined ? {} : { artifacts }) });
}

const refuse = (summary: string) => err({ summary });

/** The end. It says nothing that can be measured: what was done and what it cost is known without it. [EXEC-05] */
function readEnd(value: unknown, plan: ModelPlan): Result<ModelMove, MoveProblem> {
  const { input, name } = TOOLS.finish;
  const { problems, report } = collector(plan, { name, keys: Object.keys(input.children) });
  const wire = readRecord(input, { value, path: [], report, refusedKeys: new Set() });
  if (problems.length > 0) return refuse(problemsTold(problems));
  return ok({ kind: "end", output: toCamel(input, wire) as ExecutorOutput });
}

const CALL_KEYS: ReadonlySet<string> = new Set(["tool", "args", "artifacts"]);

function readCall(value: WireRecord, plan: ModelPlan): Result<ModelMove, MoveProblem> {
  const { tool } = value;
  if (typeof tool !== "string" || !isStepTool(tool) || !mayChoose(tool, plan)) return refuse(toolsTold(plan));
  const { input } = TOOLS[tool];
  const { problems, report } = collector(plan, { name: tool, keys: Object.keys(input.children) });
  const beside = Object.keys(value).filter((key) => !CALL_KEYS.has(key));
  if (beside.length > 0) return refuse(`A call has tool, args and artifacts, and no ${beside[0]}.`);
  const written = { ...value, name: tool };
  // Before the step as a whole, which knows `args` only as a map: so each problem is told of its own field.
  readRecord(input, { value: value["args"], path: ["args"], report, refusedKeys: new Set() });
  if (problems.length > 0) return refuse(problemsTold(problems));
  const wire = readRecord(STEP, { value: written, path: [], report, refusedKeys: new Set() });
  if (problems.length === 0) checkStep(wire, { written, report, files: plan.files, skills: [] });
  if (problems.length > 0) return refuse(problemsTold(problems));
  const step = toCamel(STEP, wire) as Step;
  const read = readStep(step);
  // Scripts of skills may use connections and secrets: those are named by a plan, and chosen by nobody else.
  if (!read.ok || isSkillCall(read.value)) return refuse("Scripts of skills are for steps of a plan.");
  return ok({ kind: "call", step: { ...step, name: nameOf(read.value) } });
}

const mayChoose = (tool: string, { tools }: ModelPlan): boolean =>
  namesOffered("plan", "executor").includes(tool) && tools.includes(tool);

const toolsTold = ({ tools }: ModelPlan): string =>
  tools.length === 0 ? "The plan lists no tools: you can only end." : `The tool must be one of ${tools.join(", ")}.`;

type Named = { readonly name: string; readonly keys: readonly string[] };

function collector({ files }: ModelPlan, { name, keys }: Named) {
  const problems: string[] = [];
  const report: Report = (path, reason) => problems.push(problemSentence(reason, { path, name, keys, files }));
  return { problems, report };
}

/** What a call is called where it is shown: its tool, and what it is about. */
function nameOf(call: ToolCall): string {
  const whole = oneLine(`${call.tool} ${toolOf(call).subject(call.args)}`).trim();
  return whole.length <= LIMITS.nameChars ? whole : `${[...whole].slice(0, LIMITS.nameChars / 2).join("")}…`;
}

const PROBLEMS_TOLD = 5;
const problemsTold = (problems: readonly string[]): string => problems.slice(0, PROBLEMS_TOLD).join(" ");
