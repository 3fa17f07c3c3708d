import type { Instant } from "#base";
import { ERROR_CHARS, reasonWords, type BudgetUsed, type RunRecord } from "#model";
import type { GrantedRun } from "#ports";

/** Records of runs in which nothing ran, or of which nobody knows how they went on. */

type Unrun = { readonly grant: GrantedRun; readonly kept: RunRecord | null; readonly at: Instant };

export const NOTHING_USED: BudgetUsed = {
  tokens: 0,
  costUsd: 0,
  wallTimeSeconds: 0,
  attempts: 0,
  plannerCalls: 0,
  executorRuns: 0,
};

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
  budgetUsed: NOTHING_USED,
  lastError: null,
  results: [],
  artifacts: {},
  startedAt: grantedAt,
  endedAt: null,
});

function endedOf({ grant, kept, at }: Unrun): RunRecord {
  const { consult: _nobodyWaits, ...run } = kept ?? { ...waitingRun(grant), startedAt: at };
  return { ...run, endedAt: at };
}

export const blockedRun = ({ reason, ...unrun }: Unrun & { readonly reason: string }): RunRecord => ({
  ...endedOf(unrun),
  status: "blocked",
  lastError: `The approval does not hold: ${reasonWords(reason)}`,
});

/** A task whose project ended before it, or a plan that takes over what is not there. */
export const unbegunRun = ({ reason, ...unrun }: Unrun & { readonly reason: string }): RunRecord => ({
  ...endedOf(unrun),
  status: "blocked",
  lastError: `Not begun: ${reason}`.slice(0, ERROR_CHARS),
});

export const cancelledRun = (unrun: Unrun): RunRecord => ({
  ...endedOf(unrun),
  status: "cancelled",
  lastError: "Cancelled",
});

/** A mistake of Silas itself ended it. What may have reached outside is in doubt; the rest is simply not done. */
export const brokenRun = ({ status, ...unrun }: Unrun & { readonly status: "in_doubt" | "stuck" }): RunRecord => ({
  ...endedOf(unrun),
  status,
  lastError: "A mistake in Silas itself ended it; `silas logs` has the cause",
});
