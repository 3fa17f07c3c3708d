import type { CheckResult, ConversationMessage, RunRecord, Taint } from "#model";
import { scrubText } from "#policy";
import { renderItem } from "./context.ts";
import { textMessage } from "./planner.ts";

/** How the planner is asked for another way to do what a run could not do. */

export type FailedWay = {
  /** The plan as it was approved. */
  readonly plan: string;
  readonly run: Pick<RunRecord, "workItemId" | "attempts" | "endedAt">;
  /** What became of it: what was printed is here only as far as gates let it. */
  readonly failure: string;
};

const REPLAN_ASKED = [
  "A plan that was approved has failed as often as it may. Call propose_plan with another way to reach the same end, and say in one or two sentences what is different.",
  "The plan needs an id of its own. Changing nothing but words is not another way. It is shown to the owner, who may decline it.",
  "When there is no other way, say why, and call nothing.",
].join("\n");

/** Everything in it is material from outside: the plan may have been written by a model, the rest by programs. */
export const replanMessages = (way: FailedWay): readonly ConversationMessage[] => [
  textMessage("user", [...externalBlocks(way), REPLAN_ASKED].join("\n")),
];

export const externalBlocks = ({ plan, run, failure }: FailedWay): readonly string[] => [
  renderItem({ tag: `plan | ${run.workItemId} | ${EXTERNAL}`, content: scrubText(plan).text }),
  renderItem({
    tag: `what became of it | ${run.attempts} attempts | ${run.endedAt ?? "goes on"} | ${EXTERNAL}`,
    content: scrubText(failure).text,
  }),
];

const EXTERNAL: Taint = "external";

/** The failure and the checks in lines, cut as they are kept. */
export function failureText(
  { lastError, results }: Pick<RunRecord, "lastError" | "results">,
  outputChars: number,
): string {
  const checks = results.map((result) => checkText(result, outputChars));
  return [`It ended with: ${lastError ?? "no reason was kept"}`, ...checks].join("\n");
}

const checkText = ({ name, passed, reason, output }: CheckResult, outputChars: number): string =>
  `Check "${name}" ${passed ? "passed" : `failed: ${reason}`}${output === "" ? "" : `\nprinted: ${output.slice(0, outputChars)}`}`;
