import { join } from "node:path";
import type { Config, Gate } from "#model";
import type {
  ApprovalStore,
  AuditLog,
  Clock,
  GateRunner,
  GoalStore,
  GrantedRun,
  KeyRegistry,
  BatchStore,
  Log,
  Randomness,
  ReviewFeed,
  StopStore,
  Timers,
  WorkDoor,
  WorkStore,
} from "#ports";
import type { ReadYaml } from "#work";
import { createBatches } from "../batches/create.ts";
import type { BatchDeps } from "../batches/deps.ts";
import { createGoals } from "../goals/create.ts";
import { loadRepairPlan } from "../goals/load-goal.ts";
import { withRepairs } from "../goals/repair-runs.ts";
import { createDoubts, type DoubtsDeps } from "../doubts/create.ts";
import { withReviewFeed } from "../review-feed.ts";
import { createStopDoor, stoppedFact } from "../stop/stop-door.ts";
import type { StoppableSandboxes } from "../stop/stoppable.ts";
import { createWorkDoor } from "./door.ts";
import { createRunNetwork } from "./network.ts";
import { createRunner, type Runner } from "./runner.ts";
import { createArtifactFiles } from "./artifact-files.ts";
import { createRunSpaces } from "./spaces.ts";
import { createSteering } from "./steer/steering.ts";

export type WorkParts = {
  readonly randomness: Randomness;
  readonly timers: Timers;
  readonly config: BatchDeps["config"] & {
    readonly scheduler: Config["scheduler"];
    readonly approval: Pick<Config["approval"], "maxExecutions">;
    readonly sandbox: Pick<Config["sandbox"], "defaultMemoryMb" | "defaultCpuSeconds">;
    readonly gates: { readonly system: readonly Gate[] };
  };
  /** Asks gates, those of the configuration among them. */
  readonly gates: GateRunner;
  readonly stores: {
    readonly batches: BatchStore;
    readonly goals: GoalStore;
    readonly work: WorkStore;
    readonly approvals: ApprovalStore;
    readonly audit: AuditLog;
    readonly stops: StopStore;
  };
  readonly registry: KeyRegistry;
  readonly sandboxes: StoppableSandboxes;
  readonly review: ReviewFeed;
  /** Asks for a decision; used to ask for the same plan again. */
  readonly proposals: DoubtsDeps["proposals"];
  readonly readYaml: ReadYaml;
  readonly clock: Clock;
  readonly log: Log;
};

export type Work = WorkDoor & {
  /** Runs what is granted, from now on, until it is closed. */
  start(): Promise<void>;
  /** Runs this grant alone, and answers when it is over; for a terminal without a running Silas. */
  runGranted(runId: string): Promise<void>;
  close(): Promise<void>;
};

/** Everything between an approval that was granted and its result. */
export function createWork({ config, stores, sandboxes, review, ...rest }: WorkParts): Work {
  const { defaultMemoryMb: memoryMb, defaultCpuSeconds: cpuSeconds } = config.sandbox;
  const { approvals, goals: kept } = stores;
  const store = withRepairs({ work: stores.work, goals: kept, approvals });
  const { registry, readYaml, clock, log, gates } = rest;
  const onChanged = review.changed;
  const steering = { gates, systemGates: [...config.gates.system], isStopped: stoppedFact(stores.stops) };
  const artifacts = createArtifactFiles(join(config.dataDir, "artifacts"));
  const spaces = createRunSpaces(sandboxes, { memoryMb, cpuSeconds, store, artifacts });
  const network = createRunNetwork({ audit: stores.audit, clock, log });
  const loadRepair = (grant: GrantedRun) => loadRepairPlan({ goals: kept, approvals, readYaml }, grant);
  const deps = {
    store,
    approvals,
    registry,
    readYaml,
    loadRepair,
    clock,
    log,
    spaces,
    network,
    onChanged,
    ...steering,
  };
  const runner = createRunner(deps);
  const told = withReviewFeed(approvals, review);
  const batches = createBatches({ ...rest, config, review, store: stores.batches, work: store, approvals: told });
  const goals = createGoals({
    ...rest,
    ...deps,
    goals: kept,
    approvals: withReviewFeed(approvals, review),
    runs: store,
    runOne: runner.runOne,
    settings: { maxExecutions: config.approval.maxExecutions, standingUsesMax: 0 },
    scheduler: config.scheduler,
    sandboxes,
    space: { memoryMb, cpuSeconds },
  });
  const doubts = createDoubts({ ...deps, proposals: rest.proposals });
  return {
    ...createSteering({ ...deps, runner }),
    stops: createStopDoor({ store: stores.stops, sandboxes, clock, onChanged, ...runner }),
    ...createWorkDoor({ ...deps, runner, viewOf: batches.viewOf }),
    batches,
    goals,
    doubts,
    runGranted: async (runId) => {
      const grant = await store.grantOf(runId);
      if (grant.ok && grant.value !== null) await runner.runOne(grant.value);
    },
    ...createLife({ runner, batches, goals, doubts, review, sandboxes }),
  };
}

type Living = Pick<WorkParts, "review" | "sandboxes"> & {
  readonly runner: Runner;
  readonly batches: ReturnType<typeof createBatches>;
  readonly goals: ReturnType<typeof createGoals>;
  readonly doubts: ReturnType<typeof createDoubts>;
};

/** The beginning of all of it, and its end in the reverse order. */
function createLife({ runner, batches, goals, doubts, review, sandboxes }: Living): Pick<Work, "start" | "close"> {
  let unsubscribe: (() => void) | null = null;
  return {
    async start() {
      // Every decision is told there, so that what was approved anywhere begins here.
      unsubscribe = review.subscribe(() => {
        runner.look();
        void batches.look();
        goals.wake();
      });
      await runner.start();
      await batches.look();
      await goals.start();
    },
    async close() {
      unsubscribe?.();
      goals.close();
      doubts.close();
      await runner.close();
      await sandboxes.close();
    },
  };
}
