import { describe, expect, test } from "vitest";
import { decidedOf } from "#model";
import { Fault } from "../fault.ts";
import type { Queue } from "./queue.ts";
import { DONE, UNUSED, type Outcome } from "./reader.ts";
import type { LeasedMessage } from "./table.ts";
import { SECOND_MS, openScene, question, createGate, until, isEmpty, restOf, FAILED } from "./reader.fixture.ts";

describe("a reader", () => {
  test("handles at most so many messages at once, and the next when one is done", async () => {
    const scene = await openScene();
    const gate = createGate();
    for (const id of ["a", "b", "c", "d"]) await scene.send(question(id));
    const reader = scene.read(gate.handle, { atOnce: 2 });
    reader.start();
    await until(() => gate.waiting.size === 2);
    reader.wake();
    await scene.queue.recover("nobody", scene.clock.now());
    expect(scene.handled).toEqual(["a", "b"]);
    gate.letGo("b");
    await until(() => scene.handled.length === 3);
    expect(scene.handled).toEqual(["a", "b", "c"]);
    for (const id of ["a", "c"]) gate.letGo(id);
    await until(() => gate.waiting.has("d"));
    gate.letGo("d");
    await reader.idle();
    expect(await isEmpty(scene)).toBe(true);
  });

  test("[BUS-16] handles one message of an order key at a time, in order", async () => {
    const scene = await openScene();
    const gate = createGate();
    for (const id of ["x1", "x2"]) await scene.send(question(id, "x"));
    await scene.send(question("y1", "y"));
    scene.read(gate.handle).start();
    await until(() => gate.waiting.size === 2);
    expect(scene.handled).toEqual(["x1", "y1"]);
    gate.letGo("x1");
    await until(() => gate.waiting.has("x2"));
    for (const id of ["x2", "y1"]) gate.letGo(id);
  });

  test("[BUS-17] settles with what follows and what is written", async () => {
    const scene = await openScene();
    await scene.send(question("a"));
    const written: string[] = [];
    const derived = [{ ...question("b"), traceId: "a" }];
    const reader = scene.read(async ({ id }) =>
      id === "a" ? { how: "done", derived, write: () => void written.push(id) } : DONE,
    );
    reader.start();
    await until(() => scene.handled.length === 2);
    await reader.idle();
    expect([scene.handled, written]).toEqual([["a", "b"], ["a"]]);
    expect(await isEmpty(scene)).toBe(true);
  });

  test("fails only the message whose handler throws", async () => {
    const scene = await openScene();
    for (const id of ["bad", "good"]) await scene.send(question(id));
    const reader = scene.read(async ({ id }) => {
      if (id === "bad") throw new Error("a bug");
      return DONE;
    });
    await reader.idle();
    expect([scene.handled, reader.holds("bad"), reader.holds("good")]).toEqual([["bad", "good"], true, false]);
    expect(scene.events()).toContain("message_failed");
  });

  test("[BUS-13] lets a failed message rest from 5 seconds to 5 minutes, twice as long each time, and kills it after five deliveries", async () => {
    const scene = await openScene();
    await scene.send(question("a"));
    let ended = 0;
    const reader = scene.read(async () => FAILED, { endDead: async () => void (ended += 1) });
    await reader.idle();
    const rests: number[] = [];
    while (scene.queue.dead().length === 0) rests.push(await restOf(scene, reader));
    expect(rests).toEqual([5, 10, 20, 40, 80]);
    await reader.idle();
    expect(ended).toBe(1);
    expect(scene.queue.dead()).toMatchObject([{ id: "a", deliveries: 5, reason: "handling_failed" }]);
  });

  test("rests at most 5 minutes, and 5 seconds again once a message is done", async () => {
    const scene = await openScene();
    await scene.send(question("a"));
    let outcome: Outcome = UNUSED;
    const reader = scene.read(async ({ id }) => (id === "a" ? outcome : DONE));
    await reader.idle();
    const rests: number[] = [];
    for (let times = 0; times < 9; times += 1) rests.push(await restOf(scene, reader));
    expect(rests).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
    await scene.send(question("b"));
    await reader.idle();
    // The rest that is under way is not cut short; the one after it begins anew.
    expect([await restOf(scene, reader), await restOf(scene, reader)]).toEqual([300, 5]);
    outcome = DONE;
    await restOf(scene, reader);
    expect(await isEmpty(scene)).toBe(true);
  });

  test("tries unused messages again at once when told to, and lets failed ones rest", async () => {
    const scene = await openScene();
    for (const id of ["unused", "failed"]) await scene.send(question(id));
    const reader = scene.read(async ({ id }) => (id === "unused" ? UNUSED : FAILED));
    await reader.idle();
    await reader.retry();
    await reader.idle();
    expect(scene.handled).toEqual(["unused", "failed", "unused"]);
  });

  test("kills a hopeless message at once and ends its work, and tries that again after a rest where it fails", async () => {
    const scene = await openScene();
    await scene.send(question("a"));
    let [isFailing, isEnded] = [true, false];
    const endDead = async (): Promise<void> => {
      if (isFailing) throw new Error("not now");
      isEnded = scene.queue.dead().length === 1;
    };
    const hopeless: Outcome = { how: "hopeless", reason: "not_understood" };
    const reader = scene.read(async ({ id }) => (id === "a" ? hopeless : DONE), { endDead });
    await reader.idle();
    await scene.send(question("b"));
    await reader.idle();
    expect([scene.handled, reader.holds("a")]).toEqual([["a", "b"], false]);
    isFailing = false;
    expect(scene.nextTimer()).toBe(5 * SECOND_MS);
    await until(() => isEnded);
  });

  test("leases nothing while everything is stopped", async () => {
    const scene = await openScene();
    scene.stop(true);
    const reader = scene.read(async () => DONE);
    reader.start();
    await scene.send(question("a"));
    await reader.idle();
    expect([await reader.handleOnly("a"), scene.handled]).toEqual([false, []]);
    scene.stop(false);
    reader.wake();
    await until(() => scene.handled.length === 1);
    await reader.idle();
  });

  test("[BUS-12] prolongs its leases while it holds any, and no longer", async () => {
    const scene = await openScene();
    const gate = createGate();
    const reader = scene.read(gate.handle);
    await reader.idle();
    expect(scene.timers.isArmed()).toBe(false);
    await scene.send(question("a"));
    reader.wake();
    await until(() => gate.waiting.size === 1);
    for (let beats = 0; beats < 10; beats += 1) {
      expect(scene.nextTimer()).toBe(20 * SECOND_MS);
      await until(scene.timers.isArmed);
      expect(await scene.leaseAs("another")).toEqual([]);
    }
    gate.letGo("a");
    await reader.idle();
    expect(scene.timers.isArmed()).toBe(false);
  });

  test("[BUS-12] keeps the leases of a machine that slept, and settles after it", async () => {
    for (const overMs of [-1, 0, 1, 36_000_000]) {
      const scene = await openScene();
      const gate = createGate();
      await scene.send(question("a"));
      const reader = scene.read(gate.handle);
      reader.start();
      await until(() => gate.waiting.size === 1);
      scene.clock.moveMs(60_000 + overMs);
      await scene.send(question("b"));
      await until(() => gate.waiting.size === 2);
      expect([scene.handled, reader.holds("a")]).toEqual([["a", "b"], true]);
      scene.clock.moveMs(60_000 + overMs);
      for (const id of ["a", "b"]) gate.letGo(id);
      await reader.idle();
      expect(scene.events()).not.toContain("lease_lost");
      expect(await isEmpty(scene)).toBe(true);
    }
  });

  test("[BUS-12] settles nothing when another holder took the message meanwhile, and warns", async () => {
    const scene = await openScene();
    const gate = createGate();
    await scene.send(question("a"));
    const lost: boolean[] = [];
    const reader = scene.read(gate.handle, {
      handle: (leased, signal) => {
        signal.addEventListener("abort", () => lost.push(signal.aborted));
        return gate.handle(leased);
      },
    });
    reader.start();
    await until(() => gate.waiting.size === 1);
    scene.clock.moveMs(61_000);
    const [taken] = await scene.leaseAs("another");
    expect(taken).toMatchObject({ id: "a", delivery: 2 });
    let isWritten = false;
    gate.letGo("a", { how: "done", write: () => void (isWritten = true) });
    await reader.idle();
    expect([isWritten, reader.holds("a")]).toEqual([false, false]);
    expect(scene.events()).toEqual(["lease_lost"]);
    // The handler is told, so that its work stops.
    expect(lost).toEqual([true]);
    if (taken === undefined) throw new Error("the message was not taken");
    expect(await scene.queue.settle({ lease: taken, at: scene.clock.now() })).toEqual({ ok: true, value: undefined });
  });

  test("tries a message again when its settling fails, without counting a fault that may pass", async () => {
    const scene = await openScene();
    await scene.send(question("a"));
    const faults: unknown[] = [new Fault({ code: "disk_full", retryable: true, cause: null }), new Error("a bug")];
    const failing: Queue = {
      ...scene.queue,
      settle: (request) => {
        const fault = faults.shift();
        return fault === undefined ? scene.queue.settle(request) : Promise.reject(fault);
      },
    };
    const deliveries: number[] = [];
    const handle = async ({ delivery }: LeasedMessage): Promise<Outcome> => {
      deliveries.push(delivery);
      return DONE;
    };
    const reader = scene.read(handle, { queue: failing });
    await reader.idle();
    while (deliveries.length < 3) await restOf(scene, reader);
    expect(deliveries).toEqual([1, 1, 2]);
    expect(scene.events()).toEqual(["message_unsettled", "message_unsettled"]);
    expect(await isEmpty(scene)).toBe(true);
  });

  test("[BUS-14] gives everything back uncounted when it closes, and takes back what it held when it starts", async () => {
    const scene = await openScene();
    const gate = createGate();
    for (const id of ["handled", "rests"]) await scene.send(question(id));
    const halt = (): void => gate.letGo("handled", UNUSED);
    const reader = scene.read(async (leased) => (leased.id === "rests" ? UNUSED : gate.handle(leased)), { halt });
    reader.start();
    await until(() => gate.waiting.size === 1 && scene.handled.length === 2);
    await reader.close();
    expect(scene.timers.isArmed()).toBe(false);
    await scene.send(question("late"));
    expect(scene.handled).toHaveLength(2);
    expect((await scene.leaseAs("test/reader")).map(({ id, delivery }) => `${id} ${delivery}`)).toEqual([
      "handled 1",
      "rests 1",
      "late 1",
    ]);
    const deliveries: number[] = [];
    const next = scene.read(async ({ delivery }) => {
      deliveries.push(delivery);
      return DONE;
    });
    await next.idle();
    expect(deliveries).toEqual([1, 1, 1]);
  });

  test("handles one message alone when asked to, also one that rests, and waits for one that is being handled", async () => {
    const scene = await openScene();
    const gate = createGate();
    for (const id of ["a", "b"]) await scene.send(question(id));
    const reader = scene.read(gate.handle);
    const handling = reader.handleOnly("b");
    await until(() => gate.waiting.has("b"));
    expect(scene.handled).toEqual(["b"]);
    gate.letGo("b", UNUSED);
    expect(await handling).toBe(true);
    const again = reader.handleOnly("b");
    await until(() => gate.waiting.has("b"));
    const beside = reader.handleOnly("b");
    gate.letGo("b");
    expect([await again, await beside, await reader.handleOnly("unknown")]).toEqual([true, false, false]);
    gate.letGo("a");
  });

  test("handles messages that are added after its start, and none after its end", async () => {
    const scene = await openScene();
    const reader = scene.read(async () => DONE, { kinds: ["decided"] });
    reader.start();
    await reader.idle();
    const sent = decidedOf({
      requestId: "request",
      kind: "plan_approval",
      at: scene.clock.now(),
      actor: { kind: "system" },
      run: { runId: "run", workItemId: "w" },
    });
    await scene.queue.reopen(sent, scene.clock.now());
    await until(() => scene.handled.length === 1);
    await reader.close();
    await scene.send({ ...sent, id: "late" });
    await reader.idle();
    expect(scene.handled).toEqual([sent.id]);
  });
});
