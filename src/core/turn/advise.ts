import type { ConversationMessage } from "#model";
import { textMessage } from "./planner.ts";
import { externalBlocks, type FailedWay } from "./replan.ts";

/** How the planner is asked for advice about a run that is stuck. */

const ADVICE_ASKED = [
  "A plan that was approved is being carried out by a model, and its checks have failed again and again.",
  "Advise that model, in a few sentences, how to go about it otherwise within the plan as it is: its tools, places, checks and budget stay. Answer with the advice alone.",
].join("\n");

/** The same material as for another way, and another question. [CONSULT-01] */
export const adviceMessages = (way: FailedWay): readonly ConversationMessage[] => [
  textMessage("user", [...externalBlocks(way), ADVICE_ASKED].join("\n")),
];
