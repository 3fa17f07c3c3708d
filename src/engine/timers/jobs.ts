import { everyMinutes } from "#model";
import type { Clock, Log } from "#ports";
import { DONE } from "../queue/reader.ts";
import type { TimerOwner } from "./loop.ts";
import type { TimerTable } from "./table.ts";

/** Something the house does for itself every so often. What it cannot do it logs, and its next time comes anyway. */
export type Job = { readonly everyMinutes: number; readonly run: () => Promise<void> };
export type TimerJobs = TimerOwner & {
  /** Sets a timer for each job, and none for jobs that are switched off. */
  start(): Promise<void>;
};

type JobParts = {
  readonly owner: string;
  readonly runs: TimerOwner["runs"];
  readonly jobs: { readonly [name: string]: Job };
  readonly timerTable: TimerTable;
  readonly clock: Clock;
  readonly log: Log;
};

/** Jobs as timers of one owner. An interval misses nothing: a job that is late runs once. */
export function createJobs({ owner, runs, jobs, timerTable, clock, log }: JobParts): TimerJobs {
  return {
    runs,
    records: "timer",
    async start() {
      for (const key of timerTable.keysOf(owner))
        if (jobs[key.slice(owner.length + 1)] === undefined) timerTable.clear(key);
      for (const [name, { everyMinutes: minutes }] of Object.entries(jobs)) {
        const schedule = everyMinutes(minutes);
        await timerTable.set(
          { key: `${owner}:${name}`, owner, schedule, zone: null, policy: "once", graceMs: 0 },
          clock.now(),
        );
      }
    },
    async handle({ key, how }) {
      const job = jobs[key.slice(owner.length + 1)];
      // Switched off, or a job of another version.
      if (job === undefined) timerTable.clear(key);
      else if (how === "run") await job.run().catch((cause: unknown) => log.error("job_failed", { timer: key, cause }));
      return DONE;
    },
  };
}
