import type { Config } from "#model";
import type { ApprovalStore, AuditLog, BatchStore, Clock, KeyRegistry, Log, Randomness, ReviewFeed, Sandboxes, WorkDoor, WorkStore } from "#ports";
import type { ReadYaml } from "#work";
import { createBatches } from "../batches/create.ts";
import type { BatchDeps } from "../batches/deps.ts";
import { withReviewFeed } from "../review-feed.ts";
import { createWorkDoor } from "./door.ts";
import { createRunNetwork } from "./network.ts";
import { createRunner } from "./runner.ts";
import { createRunSpaces } from "./spaces.ts";

export type WorkParts = {
  readonly randomness: Randomness;
  readonly config: BatchDeps["config"] & {
    readonly sandbox: Pick<Config["sandbox"], "defaultMemoryMb" | "defaultCpuSeconds">;
  };
  readonly stores: { readonly batches: BatchStore; readonly work: WorkStore; readonly approvals: ApprovalStore; readonly audit: AuditLog };
  readonly registry: KeyRegistry;
  readonly sandboxes: Sandboxes;
  readonly review: ReviewFeed;
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
  const { work: store, approvals } = stores;
  const { registry, readYaml, clock, log } = rest;
  const spaces = createRunSpaces(sandboxes, { memoryMb, cpuSeconds });
  const network = createRunNetwork({ audit: stores.audit, clock, log });
  const deps = { store, approvals, registry, readYaml, clock, log, spaces, network, onChanged: review.changed };
  const runner = createRunner(deps);
  const batches = createBatches({
    ...rest,
    config,
    review,
    store: stores.batches,
    work: store,
    approvals: withReviewFeed(approvals, review),
  });
  let unsubscribe: (() => void) | null = null;
  return {
    ...createWorkDoor({ ...deps, runner, viewOf: batches.viewOf }),
    batches,
    runGranted: async (runId) => {
      const grant = await store.grantOf(runId);
      if (grant.ok && grant.value !== null) await runner.runOne(grant.value);
    },
    async start() {
      // Every decision is told there, so that what was approved anywhere begins here.
      unsubscribe = review.subscribe(() => {
        runner.look();
        void batches.look();
      });
      await runner.start();
    },
    async close() {
      unsubscribe?.();
      await runner.close();
      await sandboxes.close();
    },
  };
}
