import type { Instant } from "#base";
import type { RunRecord } from "#model";
import type { GrantedRun } from "#ports";

/** Records of runs in which nothing ran. */

export type Unrun = { readonly grant: GrantedRun; readonly kept: RunRecord | null; readonly at: Instant };

/** What waits: granted, and begun by nobody. It is shown, and not kept. */
export const waitingRun = ({ runId, workItemId, tokenId, planHash, grantedAt }: GrantedRun): RunRecord => ({
  runId,
  workItemId,
  tokenId,
  planHash,
  status: "pending",
  isVerified: false,
  isPausing: false,
  attempts: 0,
  budgetUsed: { tokens: 0, costUsd: 0, wallTimeSeconds: 0, attempts: 0, plannerCalls: 0, executorRuns: 0 },
  lastError: null,
  results: [],
  artifacts: {},
  startedAt: grantedAt,
  endedAt: null,
});

const endedOf = ({ grant, kept, at }: Unrun): RunRecord => ({
  ...(kept ?? { ...waitingRun(grant), startedAt: at }),
  endedAt: at,
});

export const blockedRun = (unrun: Unrun & { readonly reason: string }): RunRecord => ({
  ...endedOf(unrun),
  status: "blocked",
  lastError: `The approval does not hold: ${unrun.reason}`,
});

export const cancelledRun = (unrun: Unrun): RunRecord => ({
  ...endedOf(unrun),
  status: "cancelled",
  lastError: "Cancelled",
});
