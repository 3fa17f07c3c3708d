import { CHECK_OUTPUT_CHARS, type AgentResponse } from "#model";
import { printedValues } from "#policy";
import { failureText } from "#turn";
import type { ConsultDeps } from "./deps.ts";
import type { FailedPlan } from "./load-failed.ts";

/** What passes gates on its way to the planner and back. */

/** What programs printed passes the gates for that before a model is shown it. [TAINT-03] */
export async function shownFailure(
  { gates }: Pick<ConsultDeps, "gates">,
  { run, item }: Pick<FailedPlan, "run" | "item">,
): Promise<string> {
  const text = failureText(run, CHECK_OUTPUT_CHARS);
  const outcome = await gates.run({
    trigger: "after_step",
    context: { response: text, values: { ...printedValues(text), output: text } },
    itemGates: [],
    stepIndex: Math.max(0, item.steps.length - 1),
    actor: { kind: "system" },
    scopeId: "owner",
  });
  return outcome.verdict === "continue" ? (outcome.context.response ?? text) : HELD_BACK;
}
const HELD_BACK = "A gate keeps back what was printed.";

/** What the gates for answers leave of its words; null when they hold them back. [TURN-03] */
export async function throughGates(
  { gates }: Pick<ConsultDeps, "gates">,
  { message }: Pick<AgentResponse, "message">,
): Promise<string | null> {
  const outcome = await gates.run({
    trigger: "every_agent_response",
    context: { response: message, values: { taint: "external" } },
    itemGates: [],
    actor: { kind: "system" },
    scopeId: "owner",
  });
  return outcome.verdict === "continue" ? (outcome.context.response ?? null) : null;
}
