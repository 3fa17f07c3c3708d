import { DONE } from "../queue/reader.ts";
import { outcomeOf, type Settler } from "./settler.ts";

/** The message is held until the run is over. A plan without steps, a goal and a decline begin no run. */
export const settlePlan: Settler = async ({ runId }, parts) => {
  const { goals, runs, lost } = parts;
  // The plan may be the repair of a goal, whose check waits for the decision and then for the end of the run.
  goals.look();
  if (runId === undefined) return outcomeOf(await goals.settle(), parts);
  const outcome = await runs.drive(runId, lost);
  goals.look();
  return outcome;
};

/** The next batch of a series is asked about at once, beside the run of this one. A fault keeps no run from beginning. */
export const settleBatch: Settler = async ({ runId }, parts) => {
  const { batches, runs, lost } = parts;
  const asked = await batches.settle();
  const outcome = runId === undefined ? DONE : await runs.drive(runId, lost);
  return outcome.how === "done" ? outcomeOf(asked, parts) : outcome;
};
