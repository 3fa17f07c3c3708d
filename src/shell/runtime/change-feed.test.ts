import { describe, expect, test } from "vitest";
import { LIMITS, sha256Hex } from "#base";
import type { NotificationBatch } from "#model";
import type { Log, Timers } from "#ports";
import { createChangeFeed } from "./change-feed.ts";

const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** Timers that run when the test says so. */
function handTimers(): Timers & { readonly delays: number[]; runAll(): void } {
  let waiting: { readonly delayMs: number; readonly work: () => void }[] = [];
  const delays: number[] = [];
  return {
    delays,
    after(delayMs, work) {
      const entry = { delayMs, work };
      delays.push(delayMs);
      waiting.push(entry);
      return () => void (waiting = waiting.filter((each) => each !== entry));
    },
    runAll() {
      for (const { work } of waiting.splice(0)) work();
    },
  };
}

function batch(name: string): NotificationBatch {
  const key = sha256Hex(name);
  return { localBatchId: `batch-${name}`, logicalChangeKey: key, changeUnitKeys: [key], typedTokens: [] };
}

const asIs = (batches: readonly NotificationBatch[]) => batches;
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe("change feed", () => {
  test("nothing leaves before its window ends, and every listener sees the same envelope", async () => {
    const timers = handTimers();
    const feed = createChangeFeed({ timers, log: quiet, coalesce: asIs });
    const seen: NotificationBatch[][] = [[], []];
    feed.subscribe((each) => void seen[0]?.push(each));
    feed.subscribe((each) => void seen[1]?.push(each));
    const one = batch("one");
    feed.publish([one], "local");
    feed.publish([batch("two")], "sync");
    await settled();
    expect(seen).toEqual([[], []]);
    expect(timers.delays).toEqual([100, 1_000]);
    timers.runAll();
    await settled();
    expect(seen[0]?.map((each) => each.localBatchId)).toEqual(["batch-one", "batch-two"]);
    expect(seen[1]?.[0]).toBe(one);
  });

  test("a listener that throws is heard in the log, and hurts no other and not itself", async () => {
    const timers = handTimers();
    const errors: string[] = [];
    const feed = createChangeFeed({
      timers,
      log: { ...quiet, error: (event) => void errors.push(event) },
      coalesce: asIs,
    });
    const seen: string[] = [];
    let calls = 0;
    feed.subscribe(() => {
      calls += 1;
      throw new Error("broken listener");
    });
    feed.subscribe((each) => void seen.push(each.localBatchId));
    feed.publish([batch("one"), batch("two")], "local");
    timers.runAll();
    await settled();
    expect(seen).toEqual(["batch-one", "batch-two"]);
    expect(calls).toBe(2);
    expect(errors).toEqual(["change_listener_failed", "change_listener_failed"]);
  });

  test("a listener that does not keep up loses its backlog and is told, while the others get everything", async () => {
    const timers = handTimers();
    const feed = createChangeFeed({ timers, log: quiet, coalesce: asIs });
    let lost = 0;
    let slow = 0;
    let fast = 0;
    feed.subscribe(
      () => {
        slow += 1;
        return new Promise<void>(() => {});
      },
      () => void (lost += 1),
    );
    feed.subscribe(() => void (fast += 1));
    const publish = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        feed.publish([batch(`n${fast}`)], "local");
        timers.runAll();
        await settled();
      }
    };
    // The first is with the listener, and as many wait behind it as may.
    await publish(1 + LIMITS.feedBatchesWaiting);
    expect(lost).toBe(0);
    await publish(1);
    expect(lost).toBe(1);
    await publish(8);
    expect([slow, lost, fast]).toEqual([1, 1, LIMITS.feedBatchesWaiting + 10]);
  });

  test("closing sends what waits, and nothing after", async () => {
    const timers = handTimers();
    const feed = createChangeFeed({ timers, log: quiet, coalesce: asIs });
    const seen: string[] = [];
    feed.subscribe((each) => void seen.push(each.localBatchId));
    feed.publish([batch("one"), batch("two")], "local");
    feed.close();
    feed.publish([batch("three")], "local");
    timers.runAll();
    await settled();
    expect(seen).toEqual(["batch-one", "batch-two"]);
  });
});
