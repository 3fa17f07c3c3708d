import { useQuery } from "@tanstack/react-query";
import type { GoalDetailBody, GoalSummaryBody } from "#model";
import { loadOrKept, readOf, type JournalRead } from "../data/reads.ts";
import { send } from "../wire/http.ts";

/** Under the key of Review: whatever changes a goal is told as a change of what there is to review. */
const goalsKey = ["review", "goals"] as const;
const LIST = "/api/goals";

type Listed = { readonly goals: readonly GoalSummaryBody[] };

export function useGoals(): JournalRead<Listed> {
  const read = useQuery({
    queryKey: goalsKey,
    queryFn: () => loadOrKept(LIST, () => send<Listed>(LIST, { method: "GET" })),
    refetchOnWindowFocus: "always",
  });
  return readOf(read);
}

/** Goals that ask about checks they missed. */
export function useMissedChecks(): readonly GoalSummaryBody[] {
  return (useGoals().data?.goals ?? []).filter((goal) => goal.missed_checks > 0);
}

/** One goal with its newest cycles. */
export function useGoal(id: string): JournalRead<GoalDetailBody> {
  const address = `${LIST}/${encodeURIComponent(id)}`;
  const read = useQuery({
    queryKey: [...goalsKey, id],
    queryFn: () => loadOrKept(address, () => send<GoalDetailBody>(address, { method: "GET" })),
  });
  return readOf(read);
}
