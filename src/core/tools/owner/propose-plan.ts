import { LIMITS } from "#base";
import { group, key, nullable, planText, required, shownLine } from "#model";
import { defineTool } from "../tool.ts";

export const proposePlan = defineTool({
  name: "propose_plan",
  origin: "core",
  version: 1,
  description:
    "Proposes a plan to the owner, who approves or declines it. Use it whenever something should be done: no other tool of yours changes anything. It ends your answer: say beside the call, in words, what the plan does.",
  output: "Returns nothing: the owner is asked, or told why the plan cannot be asked about.",
  input: group({
    plan_markdown: required(planText(), "The whole plan: front matter in YAML, then the briefing."),
    continuation_of: key(nullable(shownLine({ charsMax: LIMITS.idChars })), {
      is: null,
      doc: "The id of earlier work that this plan continues, or null.",
    }),
  }),
  effect: "ask",
  offeredTo: ["planner"],
  repeatable: "never",
});
