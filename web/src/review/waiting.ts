import {
  countWaiting,
  isConnectionWaiting,
  type ConnectionViewBody,
  type DecisionRowBody,
  type DoubtBody,
  type GoalSummaryBody,
  type PendingSecretsBody,
} from "#model";
import { useConnections } from "../connections/connection-reads.ts";
import { useMissedChecks } from "../goals/goal-reads.ts";
import { useAskedSecrets } from "../secrets/secret-reads.ts";
import { useDoubts } from "../work/doubt/doubt-reads.ts";
import { useSummary } from "./review-reads.ts";

type Waiting = {
  readonly requests: readonly DecisionRowBody[];
  readonly doubts: readonly DoubtBody[];
  readonly missedChecks: readonly GoalSummaryBody[];
  readonly inputs: PendingSecretsBody["requests"];
  /** Setups that go on and what failed. */
  readonly connections: readonly ConnectionViewBody[];
  readonly count: number;
};

/** Everything Review has a card for; what nobody knows yet counts as nothing. */
export function useWaiting(): Waiting {
  const { data } = useSummary();
  const lists = {
    requests: data?.pending ?? [],
    doubts: useDoubts(),
    missedChecks: useMissedChecks(),
    inputs: useAskedSecrets(),
    connections: useConnections().connections.filter(isConnectionWaiting),
  };
  return { ...lists, count: countWaiting(lists) };
}
