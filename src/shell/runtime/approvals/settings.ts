import { modelSetting, type Config } from "#model";
import { limitSettings } from "../autonomy/settings.ts";
import type { ApprovalSettings } from "./propose.ts";

/** What of the configuration approvals follow. */
export const approvalSettings = ({
  approval,
  review,
  autonomy,
  batchReview,
  search,
  gates,
  dataDir,
  skillsDir,
  models,
  providers,
}: SettingsConfig): ApprovalSettings => ({
  timeoutMs: review.approvalTimeoutSeconds * 1000,
  ttlMs: approval.defaultTtlMinutes * 60_000,
  maxExecutions: approval.maxExecutions,
  standingUsesMax: autonomy.maxStandingExecutions,
  fatigueDecisions: review.fatigueWindowDecisions,
  undoWindowSeconds: batchReview.undoWindowMinutes * 60,
  limits: limitSettings({ autonomy, batchReview }),
  webSearch: search.provider === null || search.apiKey === null ? "absent" : "ready",
  model: modelSetting({ models, providers }).kind === "set" ? "ready" : "absent",
  dataDir,
  skillsDir,
  systemGates: gates.system.map(({ name }) => name),
});
type SettingsConfig = Pick<
  Config,
  | "approval"
  | "review"
  | "autonomy"
  | "batchReview"
  | "search"
  | "gates"
  | "dataDir"
  | "skillsDir"
  | "models"
  | "providers"
>;
