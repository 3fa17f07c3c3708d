import { DONE } from "../queue/reader.ts";
import type { Settler } from "./settler.ts";

/** The answer to a run's question is in the commit that decided it; the run that waits is told to read it. */
export const settleAnswer: Settler = async (_decided, { runs }) => {
  runs.look();
  return DONE;
};
