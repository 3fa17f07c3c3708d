import { bareJson, err, ok, parseStrictJson, type Result } from "#base";
import { agentResponseSchema, type AgentResponse } from "#model";

/** What is wrong with an answer, in words for the model. */
type AnswerProblem = { readonly summary: string };

/** What a model said, read as the one thing it may answer with; anything else is a problem, and never half an answer. */
export function readAnswer(text: string): Result<AgentResponse, AnswerProblem> {
  const json = parseStrictJson(bareJson(text));
  if (!json.ok) return err({ summary: "The answer is not one JSON object." });
  const parsed = agentResponseSchema.safeParse(json.value);
  if (parsed.success) return ok(parsed.data);
  const told = parsed.error.issues
    .slice(0, PROBLEMS_TOLD)
    .map(({ path, code }) => `${path.join(".") || "answer"}: ${code}`);
  return err({ summary: told.join("; ") });
}

const PROBLEMS_TOLD = 5;

/** The question once more, with what was wrong. [STRUCT-03] */
export const repairPrompt = (prompt: string, { summary }: AnswerProblem): string =>
  `${prompt}\n\n[SCHEMA VALIDATION ERROR]\n${summary}`;

/** When the second answer is no better: honest, the same every time, and without a plan. [STRUCT-07] [STRUCT-10] */
export const FALLBACK: AgentResponse = {
  message:
    "The model answered twice in a form that Silas cannot read, so there is no answer and no plan. What you said is kept; nothing was done.",
};
