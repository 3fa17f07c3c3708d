import { expect, test } from "vitest";
import { depth } from "../../test/depth.ts";
import { killWorkers } from "./kill-workers.ts";

test("[BUS-10] [BUS-12] two workers on one queue, killed again and again, give every message exactly one effect", async () => {
  const kills = depth({ sample: 6, every: 60 });
  const seen = await killWorkers({ seed: 1, kills });
  expect(seen).toMatchObject({ kills, lost: 0, twice: 0 });
  expect(seen.betweenLeaseAndSettle).toBeGreaterThan(0);
});
