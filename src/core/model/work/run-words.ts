import { oneLine } from "#base";
import type { RunSettlement } from "./doubt-records.ts";
import type { CheckResult, RunRecord } from "./run-records.ts";
import type { RunProgress, WorkSummary } from "./run-wire.ts";

/** Where a run stands, as one short line of the terminal; the page has words of its own beside its buttons. */
export function runLine({ run, progress, settlement, signsIn = false }: Shown): string {
  switch (run.status) {
    case "pending":
      if (signsIn) return "Approved, signs in again first";
      return run.question === undefined ? "Waits to be run" : "Decided, waits to go on";
    case "running":
      if (run.consult !== undefined) return `Asks the planner for advice${pauseWords(run)}`;
      if (progress === null || progress.step === null) return `Running${pauseWords(run)}`;
      return `Running: step ${stepPlace(progress)}${retryWords(run)}${pauseWords(run)}`;
    case "paused":
      return "Paused";
    case "waiting":
      return "Waits for your decision";
    case "verifying":
      return `Checking${retryWords(run)}`;
    case "done":
      if (run.isVerified) return `Done, checked ${checkWords(run)}`;
      return run.results.length === 0 ? "Done, not checked" : "Done, and its checks say the same whatever is done";
    case "cancelled":
      return "Stopped by you";
    case "failed":
      return `Failed. ${why(run)}`;
    case "stuck":
      return `Not done after ${run.attempts === 1 ? "1 attempt" : `${run.attempts} attempts`}. ${why(run)}`;
    case "blocked":
      return `Stopped: ${why(run)}`;
    case "in_doubt":
      return settlement === null ? `In doubt: ${why(run)}` : `Was in doubt. ${settlementLine(settlement)}`;
  }
}

/** Which step it is, and of how many where that is known. */
export const stepPlace = ({ step, steps }: Pick<RunProgress, "step" | "steps">): string =>
  steps === null ? `${step}` : `${step} of ${steps}`;

type Shown = Pick<WorkSummary, "run" | "progress" | "settlement" | "signsIn">;

/** What was decided about a run in doubt. */
export function settlementLine({ choice, results, isVerified }: RunSettlement): string {
  if (choice === "again") return "The same plan was proposed again";
  if (choice === "leave") return "Left as it is";
  if (results.length === 0) return "It happened, as you said; not checked";
  if (isVerified) return `It happened, checked ${checkWords({ results })}`;
  return results.every(({ passed }) => passed)
    ? "It happened, as you said; its checks say the same whatever is done"
    : `It happened, as you said; checks ${checkWords({ results })}`;
}

const retryWords = ({ attempts }: RunRecord): string => (attempts > 1 ? ` (attempt ${attempts})` : "");
const pauseWords = ({ isPausing }: RunRecord): string => (isPausing ? ", pauses after this step" : "");
const why = ({ lastError }: RunRecord): string => oneLine(lastError ?? "No reason was kept");

function checkWords({ results }: Pick<RunRecord, "results">): string {
  const passed = results.filter((result: CheckResult) => result.passed).length;
  return `${passed} of ${results.length}`;
}
