import { expect, test } from "vitest";
import { ok, type Instant } from "#base";
import type { ConnectionStatus, KeptGoal, SecureInputRequest } from "#model";
import type { KeptConnection } from "#ports";
import { createPageWorld, EXAMPLE, TERMINAL } from "./approvals/page.fixture.ts";
import { createReviewFeed, withReviewFeed, type WaitingStores } from "./review-feed.ts";
import { must } from "./must.fixture.ts";

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
const CLOCK = { now: () => "2026-11-16T08:00:00.000Z" as Instant };
/** Nothing waits but requests. */
const storesOf = (countPending: WaitingStores["approvals"]["countPending"]): WaitingStores => ({
  approvals: { countPending },
  work: { countInDoubt: async () => ok(0) },
  goals: { list: async () => ok([]) },
  secureInputs: { list: async () => ok([]) },
  connections: { list: async () => ok([]) },
});
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("changes of one moment are told once, with what waits now, and nobody hears of nothing", async () => {
  let waiting = 0;
  const feed = createReviewFeed({ stores: storesOf(async () => ok(waiting)), clock: CLOCK, log: SILENT });
  const heard: number[] = [];
  feed.changed();
  const stop = feed.subscribe(({ pendingCount }) => heard.push(pendingCount));
  await settled();
  expect(heard).toEqual([]);
  for (waiting = 1; waiting < 50; waiting += 1) feed.changed();
  await settled();
  expect(heard).toEqual([50]);
  stop();
  feed.changed();
  await settled();
  expect(heard).toEqual([50]);
});

test("the number is that of all that waits, as the page and the terminal count it", async () => {
  const input = (state: SecureInputRequest["state"]) => ({ state }) as SecureInputRequest;
  const connection = (status: ConnectionStatus, failure: object | null) =>
    ({ record: { status }, failure }) as KeptConnection;
  const failed = connection("failed", {});
  const stores: WaitingStores = {
    ...storesOf(async () => ok(2)),
    work: { countInDoubt: async () => ok(1) },
    goals: { list: async () => ok([{ missedCount: 3 } as KeptGoal, { missedCount: 0 } as KeptGoal]) },
    secureInputs: { list: async () => ok([input("pending"), input("fulfilled"), input("pending")]) },
    connections: { list: async () => ok([connection("active", null), connection("connecting", null), failed]) },
  };
  const feed = createReviewFeed({ stores, clock: CLOCK, log: SILENT });
  const heard: number[] = [];
  feed.subscribe(({ pendingCount }) => heard.push(pendingCount));
  feed.changed();
  await settled();
  // Two requests, one run in doubt, one goal whatever it missed, two secrets, one setup, one failure.
  expect(heard).toEqual([8]);
});

test("what changes while the waiting ones are counted is told once more", async () => {
  let count = 1;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stores = storesOf(async () => {
    const counted = count;
    if (counted === 1) await promise;
    return ok(counted);
  });
  const feed = createReviewFeed({ stores, clock: CLOCK, log: SILENT });
  const heard: number[] = [];
  feed.subscribe(({ pendingCount }) => heard.push(pendingCount));
  feed.changed();
  await settled();
  count = 2;
  feed.changed();
  resolve();
  await settled();
  expect(heard.toSorted((a, b) => a - b)).toEqual([1, 2]);
});

test("a part of Silas hears what it may act on, once for a moment, and nothing is counted for it", async () => {
  let counts = 0;
  const count = async () => {
    counts += 1;
    return ok(1);
  };
  const feed = createReviewFeed({ stores: storesOf(count), clock: CLOCK, log: SILENT });
  const heard: string[] = [];
  const [stop] = [feed.onChanged(() => heard.push("changed")), feed.onStopChanged(() => heard.push("stop"))];
  feed.changed();
  feed.changed();
  await settled();
  expect(heard).toEqual(["changed"]);
  feed.shownChanged();
  await settled();
  expect(heard).toEqual(["changed"]);
  feed.stopChanged();
  await settled();
  expect(heard).toEqual(["changed", "stop", "changed"]);
  stop();
  feed.changed();
  await settled();
  expect(heard).toHaveLength(3);
  expect(counts).toBe(0);
});

test("a page hears of each kind of change", async () => {
  const feed = createReviewFeed({ stores: storesOf(async () => ok(1)), clock: CLOCK, log: SILENT });
  let heard = 0;
  feed.subscribe(() => void (heard += 1));
  for (const change of [feed.changed, feed.stopChanged, feed.shownChanged]) {
    change();
    await settled();
  }
  expect(heard).toBe(3);
});

test("a request that is asked, shown, decided or over is told; looking at it again is not", async () => {
  const { store, clock, door } = createPageWorld();
  let changes = 0;
  const told = withReviewFeed(store, { changed: () => void (changes += 1) });
  const { request } = must(await door.propose(EXAMPLE, TERMINAL));
  const { requestId, planHash } = request;
  const opened = clock.now();
  clock.moveMs(1_000);
  const window = { at: opened, expiresAt: clock.now() };
  clock.moveMs(-1_000);
  must(await told.propose(request));
  expect(changes).toBe(0);
  must(await told.activate(requestId, window));
  must(await told.activate(requestId, window));
  expect(changes).toBe(1);
  must(await told.propose({ ...request, requestId: "other", planHash: "0".repeat(64) as typeof planHash }));
  expect(changes).toBe(2);
  must(
    await told.decline({
      requestId: "other",
      planHash: "0".repeat(64) as typeof planHash,
      at: clock.now(),
      actor: TERMINAL,
    }),
  );
  expect(changes).toBe(3);
  must(await told.find(requestId));
  expect(changes).toBe(3);
  clock.moveMs(1_000);
  must(await told.find(requestId));
  must(await told.find(requestId));
  expect(changes).toBe(4);
  expect((await told.decline({ requestId, planHash, at: clock.now(), actor: TERMINAL })).ok).toBe(false);
  expect(changes).toBe(4);
});
