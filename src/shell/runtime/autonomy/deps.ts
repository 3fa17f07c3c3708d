import type { Instant } from "#base";
import type { TimerTable } from "#engine";
import type { Config } from "#model";
import type { CalibrationSettings } from "#policy";
import type { ApprovalStore, AskedLimits, AutonomyStore, Clock, Log, Randomness } from "#ports";
import type { LimitConfig, LimitSettings } from "./settings.ts";

export type AutonomyParts = {
  readonly config: LimitConfig & { readonly limits: Pick<Config["limits"], "autonomyProposalsPerWeekPerScope"> };
  readonly store: AutonomyStore;
  /** Every change of it is told. */
  readonly approvals: ApprovalStore;
  /** Whether everything is stopped: then nothing is proposed either. */
  readonly isStopped: () => Promise<boolean>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timerTable: TimerTable;
  readonly log: Log;
};
export type AutonomyDeps = AutonomyParts & {
  readonly settings: CalibrationSettings & LimitSettings & { readonly isEnabled: boolean; readonly perWeek: number };
};

/** More requests about limits than this are not looked back upon. */
export const ASKED_MOST = 100;
/** An action has an entry for its decision and one for its way back, and so has what was chosen from it. */
export const ENTRIES_PER_ACTION = 4;

/** Whatever became of a proposal, what was counted for it argues no second time. */
export function lastEnd(asked: readonly AskedLimits[]): Instant | null {
  const ends = asked.flatMap(({ endedAt }) => endedAt ?? []);
  return ends.toSorted().at(-1) ?? null;
}
