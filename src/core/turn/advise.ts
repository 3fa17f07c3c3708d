import { externalBlocks, type FailedWay } from "./replan.ts";

/** How the planner is asked for advice about a run that is stuck. */

const ADVICE_ASKED = [
  "A plan that was approved is being carried out by a model, and its checks have failed again and again.",
  "Advise that model how to go about it otherwise, within the plan as it is: its tools, places, checks and budget stay. Answer:",
  '{"message": "the advice, in a few sentences"}',
].join("\n");

/** The same material as for another way, and another question. [CONSULT-01] */
export const advicePrompt = (way: FailedWay): string => [...externalBlocks(way), ADVICE_ASKED].join("\n");
