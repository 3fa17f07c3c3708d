import type { RunRecord } from "./run-records.ts";
import { RESULT_OF_RUN } from "./work-result.ts";

/** What is told of a run in the moment it happens: that it goes on, that checks failed, and how it ended. [FLOW-13] */
const RUN_NEWS = ["running", "verification_failed", "done", "blocked", "failed", "stuck"] as const;
export type RunNews = (typeof RUN_NEWS)[number];

/** Which run, and what is new of it. */
export type RunTold = { readonly runId: string; readonly workItemId: string; readonly news: RunNews };

type Seen = Pick<RunRecord, "status" | "endedAt" | "results">;

/** What is new between two records of one run, in the order in which it happened; null for none before. */
export function newsBetween(before: Seen | null, after: Seen): readonly RunNews[] {
  const isUnmet = before?.status === "verifying" && after.status !== "verifying";
  const failed: readonly RunNews[] =
    isUnmet && after.results.some(({ passed }) => !passed) ? ["verification_failed"] : [];
  const end = RESULT_OF_RUN[after.status];
  if (end !== undefined) return before?.endedAt == null ? [...failed, end] : [];
  return after.status === "running" && before?.status !== "running" ? [...failed, "running"] : failed;
}
