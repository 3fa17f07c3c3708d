import { bareJson, err, ok, parseStrictJson, type Result } from "#base";
import { agentResponseSchema, planCallSchema, type AgentResponse } from "#model";
import { offeredTool, TOOLS } from "#tools";
import type { ConversationEnd, ConversationTool } from "./conversation.ts";

/** Reads an answer that was kept. */
export function readAnswer(text: string): Result<AgentResponse, "unreadable"> {
  const json = parseStrictJson(bareJson(text));
  const parsed = json.ok ? agentResponseSchema.safeParse(json.value) : null;
  return parsed?.success === true ? ok(parsed.data) : err("unreadable");
}

/** Told in place of an answer that was kept and cannot be read any more. */
export const FALLBACK: AgentResponse = {
  message: "The answer was kept in a form that Silas cannot read, so there is no reply and no plan. Nothing was done.",
};

/** A plan reaches the owner by this call alone. It ends the conversation: the owner decides what follows. [FLOW-07] */
export const PROPOSE_PLAN: ConversationTool = {
  ...offeredTool(TOOLS.propose_plan),
  use: "end",
  read(args) {
    const parsed = planCallSchema.safeParse(args);
    if (parsed.success) return ok(parsed.data);
    const fields = [...new Set(parsed.error.issues.map(({ path }) => path.join(".") || "the arguments"))];
    return err(
      `propose_plan takes plan_markdown, a text, and continuation_of, an id or null. Wrong: ${fields.join(", ")}.`,
    );
  },
};

type Said = Extract<ConversationEnd, { readonly kind: "said" }>;

/** The end of a conversation of the planner as the record that is kept of it. */
export function responseOf({ text, call }: Pick<Said, "text" | "call">): AgentResponse {
  const plan = call?.name === PROPOSE_PLAN.name ? planCallSchema.safeParse(call.args) : null;
  const message = text === "" ? "I propose a plan." : text;
  return plan?.success === true ? { message, plan_action: { action: "propose", ...plan.data } } : { message };
}
