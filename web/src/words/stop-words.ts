import { plural } from "./plural.ts";

/** The catalogue's part about stopping everything; loaded when somebody is about to, or did. */
export const stopWords = {
  ask: "Stop everything?",
  askBody:
    "Whatever runs ends at once, and nothing begins until you start again. What was already changed outside stays changed.",
  going: (count: number) => `${plural(count, { one: "run", many: "runs" })} would end now.`,
  none: "Nothing runs right now.",
  stopped: "Everything is stopped",
  since: (time: string, by: string) => `Since ${time}, ${by}. Nothing runs and nothing begins; you can still decide.`,
  again: "Start again",
  starting: "Starting again",
  saidStopped: (ended: number) =>
    `Everything is stopped.${ended === 0 ? "" : ` ${plural(ended, { one: "run", many: "runs" })} ended.`}`,
  saidStarted: "What waits may begin again.",
  notStopped: "It could not be stopped: Silas cannot be reached. Use silas stop-all in a terminal.",
  notStarted: "Silas cannot be reached. It stays stopped.",
};
