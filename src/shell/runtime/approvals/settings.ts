import type { Config } from "#model";
import type { ApprovalSettings } from "./propose.ts";

/** What of the configuration approvals follow. */
export const approvalSettings = ({
  approval,
  review,
  autonomy,
  batchReview,
  search,
  dataDir,
}: SettingsConfig): ApprovalSettings => ({
  timeoutMs: review.approvalTimeoutSeconds * 1000,
  ttlMs: approval.defaultTtlMinutes * 60_000,
  maxExecutions: approval.maxExecutions,
  standingUsesMax: autonomy.maxStandingExecutions,
  fatigueDecisions: review.fatigueWindowDecisions,
  undoWindowSeconds: batchReview.undoWindowMinutes * 60,
  webSearch: search.provider === null || search.apiKey === null ? "absent" : "ready",
  dataDir,
});
type SettingsConfig = Pick<Config, "approval" | "review" | "autonomy" | "batchReview" | "search" | "dataDir">;
