import { ok, type Result } from "#base";
import type { StoreFault } from "#model";
import type { TidySettings } from "#work";
import type { BatchDeps } from "./deps.ts";

/** How batches are cut at this moment: by the configuration, or by what was approved since. */
export async function sizingOf({
  config,
  limits,
}: Pick<BatchDeps, "config" | "limits">): Promise<Result<TidySettings, StoreFault>> {
  const values = await limits.read();
  if (!values.ok) return values;
  return ok({
    size: Number(values.value["batch_review.default_size"]),
    highMin: Number(values.value["batch_review.confidence.high_min"]),
    mediumMin: config.batchReview.confidence.mediumMin,
  });
}
