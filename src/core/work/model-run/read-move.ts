import { bareJson, err, LIMITS, ok, oneLine, parseStrictJson, type Result } from "#base";
import {
  executorOutputSchema,
  isModelTool,
  isSkillCall,
  modelCallSchema,
  RETURN_CHARS,
  STEP,
  toCamel,
  type ExecutorOutput,
  type Step,
  type ToolCall,
} from "#model";
import type { Report } from "../problems.ts";
import { readRecord } from "../read-fields.ts";
import { checkStep } from "../steps/check-steps.ts";
import { placesOf, readStep } from "../steps/tool-call.ts";
import type { ModelPlan } from "./plan.ts";

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
  return isCall ? readCall(json.value, plan) : readEnd(json.value);
}

const refuse = (summary: string) => err({ summary });

function readEnd(value: unknown): Result<ModelMove, MoveProblem> {
  const end = executorOutputSchema.safeParse(value);
  if (end.success) return ok({ kind: "end", output: end.data });
  return refuse(problemsTold(end.error.issues.map(({ path, code }) => `${path.join(".") || "answer"}: ${code}`)));
}

function readCall(value: unknown, plan: ModelPlan): Result<ModelMove, MoveProblem> {
  const call = modelCallSchema.safeParse(value);
  if (!call.success) {
    return refuse(problemsTold(call.error.issues.map(({ path, code }) => `${path.join(".") || "answer"}: ${code}`)));
  }
  const { tool, args, artifacts } = call.data;
  if (!isModelTool(tool) || !plan.tools.includes(tool)) {
    return refuse(`tool: the plan lists ${plan.tools.length === 0 ? "no tools" : plan.tools.join(", ")}`);
  }
  const problems: string[] = [];
  const report: Report = (path, { code, expected }) =>
    problems.push(`${path.join(".")}: ${code}${expected === undefined ? "" : `, expected ${expected}`}`);
  const written = { name: tool, tool, args, artifacts };
  const wire = readRecord(STEP, { value: written, path: [], report, refusedKeys: new Set() });
  if (problems.length === 0) checkStep(wire, { written, report, files: plan.files, skills: [] });
  if (problems.length > 0) return refuse(problemsTold(problems));
  const step = toCamel(STEP, wire) as Step;
  const read = readStep(step);
  // Scripts of skills may use connections and secrets: those are named by a plan, and chosen by nobody else.
  if (!read.ok || isSkillCall(read.value)) return refuse("args: scripts of skills are for steps of a plan");
  return ok({ kind: "call", step: { ...step, name: nameOf(read.value) } });
}

/** What a call is called where it is shown: its tool, and what it is about. */
function nameOf(call: ToolCall): string {
  const command = call.tool === "shell_exec" ? call.args.argv.join(" ") : "";
  const whole = oneLine(`${call.tool} ${placesOf(call)[0]?.path ?? command}`).trim();
  return whole.length <= LIMITS.nameChars ? whole : `${[...whole].slice(0, LIMITS.nameChars / 2).join("")}…`;
}

const PROBLEMS_TOLD = 5;
const problemsTold = (problems: readonly string[]): string => problems.slice(0, PROBLEMS_TOLD).join("; ");
