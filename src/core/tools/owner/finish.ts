import { group, nextSteps, required, resultNames, summaryText } from "#model";
import { defineTool } from "../tool.ts";

export const finish = defineTool({
  name: "finish",
  origin: "core",
  version: 1,
  description:
    "Ends your work on the task. Call it once everything is done, or when nothing more can be done. Checks outside of you decide whether the task is done.",
  output: "Returns nothing: no call follows it.",
  input: group({
    summary: required(summaryText(), "What was done, in a few sentences."),
    artifact_refs: required(resultNames(), "The names of the results that your calls left."),
    next_steps: required(nextSteps(), "What the owner might do next, in order."),
  }),
  effect: "read",
  offeredTo: ["executor"],
  repeatable: "always",
});
