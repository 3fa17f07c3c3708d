import type { TimerTable } from "#engine";
import type { Config } from "#model";
import type {
  ApprovalsDoor,
  ApprovalStore,
  Clock,
  GoalStore,
  Log,
  PasskeyStore,
  Randomness,
  RunFeed,
  SuggestionStore,
  WorkStore,
} from "#ports";
import type { SameDeps } from "../doubts/propose-same.ts";

export type SuggestionDeps = {
  readonly suggestions: SuggestionStore;
  readonly approvals: Pick<ApprovalStore, "find" | "list" | "approvalsOf">;
  readonly goals: Pick<GoalStore, "list">;
  readonly passkeys: Pick<PasskeyStore, "list">;
  readonly store: Pick<WorkStore, "find" | "list" | "grantOf">;
  readonly proposals: SameDeps["proposals"] & Pick<ApprovalsDoor, "proposeAgain">;
  readonly feed: RunFeed;
  readonly config: Pick<Config, "ownerId" | "suggestions"> & {
    readonly scheduler: Pick<Config["scheduler"], "timezone" | "missedRunGraceMinutes">;
    readonly limits: Pick<Config["limits"], "suggestionsPerHourPerScope">;
  };
  /** A scope in which everything is stopped is not active: nothing is suggested there. */
  readonly isStopped: () => Promise<boolean>;
  readonly onChanged: () => void;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timerTable: TimerTable;
  readonly log: Log;
};
