import {
  asResult,
  createJobs,
  createTimerLoop,
  type Job,
  type ReaderDeps,
  type TimerJobs,
  type TimerOwner,
  type TimerOwners,
  type TimerTable,
} from "#engine";
import type { TimersDoor } from "#ports";
import { systemZone } from "./system.ts";

type Timed = { readonly timed: TimerOwner };
type TimingParts = ReaderDeps & {
  readonly timerTable: TimerTable;
  /** Looks after connections. */
  readonly timed: TimerOwner;
  readonly jobs: { readonly [name: string]: Job };
  readonly goals: Timed;
  readonly suggestions: Timed;
  readonly autonomy: { readonly timed: TimerJobs };
};
export type Timing = {
  readonly door: TimersDoor;
  start(): Promise<void>;
  idle(): Promise<void>;
  close(): Promise<void>;
};

/** The one timer of Silas, with everything that it wakes. */
export function createTiming({ timed, jobs, goals, suggestions, autonomy, ...parts }: TimingParts): Timing {
  const table = parts.timerTable;
  const housekeeping = createJobs({ ...parts, owner: "housekeeping", runs: "always", jobs });
  const owners: TimerOwners = {
    connection: timed,
    goal: goals.timed,
    suggestion: suggestions.timed,
    autonomy: autonomy.timed,
    housekeeping,
  };
  const loop = createTimerLoop({ ...parts, table, owners, zoneNow: systemZone });
  return {
    door: { list: () => asResult(Promise.try(table.list)) },
    async start() {
      await housekeeping.start();
      await autonomy.timed.start();
      await loop.start();
    },
    idle: () => loop.idle(),
    close: () => loop.close(),
  };
}
