import { LIMITS, type Result } from "#base";
import { loadTimetable } from "#engine";
import type { KeptGoal } from "#model";
import type { Clock, TimesOf } from "#ports";
import type { Timetable } from "#work";
import { systemZone } from "../system.ts";
import type { LoadedGoal } from "./load-goal.ts";

type GoalTiming = { readonly requestId: string; readonly timeZone: string };

/** When goals are due, each in the zone it was approved in. */
export type GoalTimes = {
  /** The zone of what is approved now. */
  readonly zoneNow: () => string;
  /** The zone of a goal that is looked after. */
  readonly zoneOf: (kept: Pick<KeptGoal, "timeZone">) => string;
  /** The schedule of a goal by the approval that counts, in its zone; null when it cannot be read. */
  readonly timetableOf: (timing: GoalTiming) => Promise<Timetable | null>;
  readonly timesOf: TimesOf;
};

type Parts = {
  /** The zone of the configuration; null follows the system. */
  readonly configured: string | null;
  readonly goalOf: (requestId: string) => Promise<Result<LoadedGoal, unknown>>;
  readonly clock: Clock;
};

/** The zone of goals from before theirs was kept: it was everybody's default then. */
const ZONE_BEFORE = "Europe/Vienna";

export function createGoalTimes({ configured, goalOf, clock }: Parts): GoalTimes {
  const timetables = new Map<string, Timetable>();
  const zoneNow = (): string => configured ?? systemZone();
  return {
    zoneNow,
    zoneOf: ({ timeZone }) => timeZone ?? configured ?? ZONE_BEFORE,
    async timetableOf({ requestId, timeZone }) {
      const goal = await goalOf(requestId);
      if (!goal.ok) return null;
      const key = `${timeZone} ${requestId}`;
      const before = timetables.get(key);
      if (before !== undefined) return before;
      const timetable = await loadTimetable(goal.value.item.schedule, timeZone);
      if (timetables.size >= LIMITS.goalsMax) timetables.clear();
      timetables.set(key, timetable);
      return timetable;
    },
    async timesOf(schedule) {
      const timeZone = zoneNow();
      return { timeZone, nextDue: (await loadTimetable(schedule, timeZone)).next(clock.now()) };
    },
  };
}

/** INVARIANT: a goal goes by the zone it was approved in, wherever the machine is taken. */
export const timingOf = ({ zoneOf }: Pick<GoalTimes, "zoneOf">, kept: KeptGoal): GoalTiming => ({
  requestId: kept.requestId,
  timeZone: zoneOf(kept),
});
