import type { GoalSummaryBody } from "#model";

type Check = { readonly title: string; readonly at: string };

/** The check that is due first, of goals that are not held. */
export function nextCheck(goals: readonly GoalSummaryBody[]): Check | null {
  const due = goals.flatMap(({ status, title, next_due: at }) =>
    status === "paused" || at === null ? [] : [{ title, at }],
  );
  return due.toSorted((a, b) => a.at.localeCompare(b.at))[0] ?? null;
}
