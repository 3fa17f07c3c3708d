import { type LedgerEntry } from "#model";
import type { FoundRun } from "../run/facts.ts";
import { callOf } from "../steps/tool-call.ts";
import { chosenIn, wasNotRun } from "./answers.ts";
import { riskOfCall } from "./high-risk.ts";

type LeftByModel = {
  /** Whether something of this pass can have reached outside of its workspace. */
  readonly reachesOutside: boolean;
  /** Whether the model had come to its end, and everything it chose was done. */
  readonly isComplete: boolean;
};

/** What an interrupted attempt of a model had done. Its answers are kept, so that it can be done again without it. */
export function leftByModel(
  { plan, run, ledger }: Pick<FoundRun, "plan" | "run" | "ledger">,
  pass: readonly LedgerEntry[],
): LeftByModel {
  const { output } = chosenIn(ledger, { plan, attempt: run.attempts });
  const { steps, files } = plan;
  const ran = pass.filter((entry) => !wasNotRun(entry));
  const reachesOutside = ran.some(({ stepIndex }) => {
    const step = steps[stepIndex];
    return step === undefined || riskOfCall(callOf(step), { files, before: steps.slice(0, stepIndex) }) !== null;
  });
  return { reachesOutside, isComplete: output !== null && pass.length === steps.length };
}
