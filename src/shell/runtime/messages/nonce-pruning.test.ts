import { expect, test } from "vitest";
import { instantFromMs } from "#base";
import { createVirtualClock } from "#sim";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { startNoncePruning } from "./nonce-pruning.ts";
import { must } from "../must.fixture.ts";

test("[NONCE-06] nonces are pruned on the configured schedule, by the clock of that moment, until it is stopped", async () => {
  const clock = createVirtualClock(1_794_729_600_000);
  const waiting: { readonly delayMs: number; readonly work: () => void }[] = [];
  const timers = {
    after: (delayMs: number, work: () => void) => {
      const entry = { delayMs, work };
      waiting.push(entry);
      return () => void waiting.splice(waiting.indexOf(entry), 1);
    },
  };
  const { nonces } = openInMemory();
  const pruned: number[] = [];
  const counting = {
    ...nonces,
    prune: async (...given: Parameters<typeof nonces.prune>) => {
      const done = await nonces.prune(...given);
      pruned.push(must(done));
      return done;
    },
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const window = { ttlMs: 2_400_000, freshnessMs: 300_000 };
  const stop = startNoncePruning({ nonces: counting, clock, timers, log, window, intervalMs: 600_000 });
  must(await nonces.spend({ nonce: "a".repeat(32), at: clock.now(), earliest: must(instantFromMs(0)) }));
  for (const expected of [[0], [0, 1]]) {
    expect(waiting.map(({ delayMs }) => delayMs)).toEqual([600_000]);
    const [next] = waiting.splice(0, 1);
    next?.work();
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(pruned).toEqual(expected);
    clock.moveMs(2_400_001);
  }
  stop();
  expect(waiting).toEqual([]);
});
