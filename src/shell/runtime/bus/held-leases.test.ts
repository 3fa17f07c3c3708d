import { expect, test } from "vitest";
import { instantFromMs, LIMITS, type Instant } from "#base";
import { dispatchOf } from "#model";
import type { Timers } from "#ports";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import { must } from "../must.fixture.ts";
import { createHeldLeases } from "./held-leases.ts";

const LEASE_MS = 60_000;
const bus = { leaseSeconds: LEASE_MS / 1000, heartbeatSeconds: 20, deliveriesMax: 5 };

/** A reader of a queue, whose time passes by hand and whose heartbeats never come. */
function createReader() {
  const { queue } = openInMemory();
  let nowMs = Date.UTC(2026, 10, 16, 9);
  const now = (): Instant => must(instantFromMs(nowMs));
  const waiting = new Set<() => void>();
  const timers: Timers = {
    after(_delayMs, work) {
      waiting.add(work);
      return () => void waiting.delete(work);
    },
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const held = createHeldLeases(
    { queue, clock: { now }, timers, log, bus },
    { name: "reader", queue: "runtime_queue" },
  );
  const send = async (messageId: string): Promise<void> => {
    const sent = dispatchOf({ runId: messageId, workItemId: "item", at: now(), actor: { kind: "system" } });
    must(await queue.enqueue({ queue: "runtime_queue", message: { ...sent, messageId }, at: now() }));
  };
  const takeNames = async (): Promise<readonly string[]> => (await held.take()).map(({ messageId }) => messageId);
  return { held, send, takeNames, heartbeats: () => waiting.size, move: (ms: number) => void (nowMs += ms) };
}

test("[BUS-12] a reader whose leases have just run out takes nothing of its own twice", async () => {
  for (const over of [-1, 0, 1]) {
    const { held, send, takeNames, move } = createReader();
    await send("a");
    expect(await takeNames()).toEqual(["a"]);
    move(LEASE_MS + over);
    await send("b");
    expect(await takeNames()).toEqual(["b"]);
    expect(held.has("a")).toBe(true);
  }
});

test("a reader holds so many messages and no more, and takes up the next when one is settled", async () => {
  const { held, send, takeNames } = createReader();
  const names = Array.from({ length: LIMITS.leasesHeld + 1 }, (_, index) => `m-${index}`);
  for (const name of names) await send(name);
  for (const name of names.slice(0, LIMITS.leasesHeld - 1)) await held.take(name);
  expect(await held.take(names.at(-2))).toHaveLength(1);
  expect([await held.take(names.at(-1)), await takeNames()]).toEqual([[], []]);
  await held.settle("m-0");
  expect(await takeNames()).toEqual([names.at(-1)]);
});

test("a heartbeat waits as long as anything is held, and no longer", async () => {
  const { held, send, takeNames, heartbeats } = createReader();
  await takeNames();
  expect(heartbeats()).toBe(0);
  for (const name of ["a", "b"]) await send(name);
  await takeNames();
  expect(heartbeats()).toBe(1);
  await held.settle("a");
  expect(heartbeats()).toBe(1);
  await held.settle("b");
  expect(heartbeats()).toBe(0);
});
