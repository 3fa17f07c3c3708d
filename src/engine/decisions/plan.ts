import { DONE } from "../queue/reader.ts";
import type { Settler } from "./settler.ts";

/** The message is held until the run is over. A plan without steps, a goal and a decline begin no run. */
export const settlePlan: Settler = async ({ runId }, { runs, lost }) =>
  runId === undefined ? DONE : runs.drive(runId, lost);
