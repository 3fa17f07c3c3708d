import type { Config } from "#model";
import type {
  ApprovalStore,
  AuditLog,
  BatchStore,
  Clock,
  GoalStore,
  GrantedRun,
  KeyRegistry,
  Log,
  Randomness,
  ReviewFeed,
  Sandboxes,
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
import { createWorkDoor } from "./door.ts";
import { createRunNetwork } from "./network.ts";
import { createRunner } from "./runner.ts";
import { createRunSpaces } from "./spaces.ts";

export type WorkParts = {
  readonly randomness: Randomness;
  readonly timers: Timers;
  readonly config: BatchDeps["config"] & {
    readonly scheduler: Config["scheduler"];
    readonly approval: Pick<Config["approval"], "maxExecutions">;
    readonly sandbox: Pick<Config["sandbox"], "defaultMemoryMb" | "defaultCpuSeconds">;
  };
  readonly stores: {
    readonly batches: BatchStore;
    readonly work: WorkStore;
    readonly approvals: ApprovalStore;
    readonly audit: AuditLog;
    readonly goals: GoalStore;
  };
  readonly registry: KeyRegistry;
  readonly sandboxes: Sandboxes;
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
  const { registry, readYaml, clock, log } = rest;
  const spaces = createRunSpaces(sandboxes, { memoryMb, cpuSeconds });
  const network = createRunNetwork({ audit: stores.audit, clock, log });
  const loadRepair = (grant: GrantedRun) => loadRepairPlan({ goals: kept, approvals, readYaml }, grant);
  const onChanged = review.changed;
  const deps = { store, approvals, registry, readYaml, loadRepair, clock, log, spaces, network, onChanged };
  const runner = createRunner(deps);
  const told = withReviewFeed(approvals, review);
  const batches = createBatches({ ...rest, config, review, store: stores.batches, work: store, approvals: told });
  const goals = createGoals({
    ...rest,
    ...deps,
    isStopped: async () => false,
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
  let unsubscribe: (() => void) | null = null;
  return {
    ...createWorkDoor({ ...deps, runner, viewOf: batches.viewOf }),
    batches,
    goals,
    doubts,
    runGranted: async (runId) => {
      const grant = await store.grantOf(runId);
      if (grant.ok && grant.value !== null) await runner.runOne(grant.value);
    },
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
