import { NO_END, type Config, type LimitBounds, type LimitValues } from "#model";

/** What the configuration says of each limit, and what no approval takes it beyond. [AUTO-10] */
export type LimitSettings = { readonly configured: LimitValues; readonly bounds: LimitBounds };
export type LimitConfig = {
  readonly autonomy: Config["autonomy"];
  readonly batchReview: Pick<Config["batchReview"], "defaultSize" | "confidence">;
};

export const limitSettings = ({ autonomy, batchReview }: LimitConfig): LimitSettings => ({
  configured: {
    "standing.scope": "repairs",
    "standing.max_executions": String(autonomy.maxStandingExecutions),
    "standing.expires_at": NO_END,
    "batch_review.default_size": String(batchReview.defaultSize),
    "batch_review.confidence.high_min": String(batchReview.confidence.highMin),
  },
  bounds: {
    standingUsesMax: autonomy.maxStandingExecutions,
    batchSizeMax: autonomy.maxBatchReviewSize,
    // Nothing is called high that is not even medium.
    highConfidenceMin: Math.max(autonomy.minHighConfidence, batchReview.confidence.mediumMin),
  },
});
