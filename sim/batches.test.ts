import { expect, test } from "vitest";
import { sampleOf } from "../test/depth.ts";
import { cutBatches } from "./batch-cuts.ts";

test("[BATCH-04] [UNDO-03] a batch and its taking back, cut at any statement, lose no file, move none twice, and end", async () => {
  const { states } = await cutBatches(1, (all) => sampleOf(all, 3));
  expect(states).toBeGreaterThan(60);
});
