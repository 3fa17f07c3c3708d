import { LIMITS, ok, type Result } from "#base";
import type { TimerOwner, TimerTable } from "#engine";
import type { Config, StoreFault } from "#model";
import type {
  ApprovalStore,
  Clock,
  CurrentLimits,
  GoalsDoor,
  GoalStore,
  GrantedRun,
  KeyRegistry,
  Log,
  Randomness,
  StreamDoor,
  TimesOf,
  WorkStore,
} from "#ports";
import type { ReadYaml } from "#work";
import { propose, type ProposeDeps } from "../approvals/propose.ts";
import { checkGoal, type CheckingDeps } from "./check-goal.ts";
import { createCycles, type CycleDeps, type KnownGoal } from "./cycles.ts";
import { createGoalsDoor } from "./door.ts";
import { createGoalTimes } from "./goal-times.ts";
import { loadGoal, type LoadedGoal } from "./load-goal.ts";
import { createScheduler } from "./scheduler.ts";
import { createTurns } from "./turns.ts";

type GoalParts = Pick<CheckingDeps, "sandboxes" | "spaces" | "network" | "space" | "isStopped"> & {
  readonly goals: GoalStore;
  readonly approvals: ApprovalStore;
  /** With the runs of repairs among them. */
  readonly runs: WorkStore;
  readonly runOne: (grant: GrantedRun) => Promise<void>;
  readonly settings: ProposeDeps["settings"];
  readonly skills: ProposeDeps["skills"];
  readonly scheduler: Config["scheduler"];
  readonly registry: KeyRegistry;
  readonly readYaml: ReadYaml;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timerTable: TimerTable;
  readonly log: Log;
  readonly onChanged: () => void;
  readonly findItems: CycleDeps["findItems"];
  readonly limits: CurrentLimits;
  readonly stream: StreamDoor;
};

type Goals = GoalsDoor & {
  readonly timesOf: TimesOf;
  /** Resumes the looks of an earlier process, and schedules every approved goal. */
  start(): Promise<void>;
  readonly timed: TimerOwner;
  /** Schedules every goal that was approved, and puts it in force for messages if it says so. */
  settle(): Promise<Result<void, StoreFault>>;
  /** Has checks that wait for a decision or a repair find out whether it came. */
  look(): void;
  close(): void;
};

/** Goals that were approved: when they are checked, and what becomes of a failure. */
export function createGoals({ runOne, settings, scheduler: config, ...parts }: GoalParts): Goals {
  const { approvals, readYaml, clock, randomness, log } = parts;
  const known = new Map<string, LoadedGoal>();
  // What was approved is never changed; whether it still holds is asked at the gate, of what is kept then.
  const goalOf = async (requestId: string): Promise<KnownGoal> => {
    const before = known.get(requestId);
    if (before !== undefined) return ok(before);
    const goal = await loadGoal(parts, requestId);
    if (!goal.ok) return goal;
    if (known.size >= LIMITS.goalsMax) known.clear();
    known.set(requestId, goal.value);
    return goal;
  };
  const { timesOf, ...times } = createGoalTimes({ configured: config.timezone, goalOf, clock });
  const look = (): void => void scheduler.look().catch((cause: unknown) => log.error("scheduler_broken", { cause }));
  const started = new Set<string>();
  const startRun = (grant: GrantedRun): void => {
    // Once: the message of the run is tried again by its reader, which also has this check look for its end.
    if (started.has(grant.runId)) return;
    started.add(grant.runId);
    void runOne(grant).then(look);
  };
  const asking = { store: approvals, clock, randomness, readYaml, settings, skills: parts.skills };
  const cycles = createCycles({
    ...parts,
    goalOf,
    check: (checking) => checkGoal(parts, checking),
    startRun,
    turns: createTurns(LIMITS.goalsAtOnce),
    propose: (markdown, actor) => propose(asking, { markdown, actor, againOf: null }),
  });
  const scheduler = createScheduler({
    ...parts,
    goalOf,
    cycles,
    ...times,
    settings: {
      isEnabled: config.enabled,
      policy: config.missedRunPolicy,
      graceMs: config.missedRunGraceMinutes * 60_000,
    },
  });
  return {
    timesOf,
    ...createGoalsDoor({ ...parts, goalOf, cycles, scheduler, ...times }),
    start: () => scheduler.start(),
    async settle() {
      const adopted = await scheduler.adopt();
      if (!adopted.ok) return adopted;
      const looked = await parts.stream.look();
      return looked.ok ? ok() : looked;
    },
    look,
    timed: scheduler.owner,
    close: () => cycles.close(),
  };
}
