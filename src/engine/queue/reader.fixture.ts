/** A queue in a file and readers of it, by a virtual clock. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { msOfInstant, sha256Hex } from "#base";
import { userMessageOf, type MessageKind, type QueueMessage, type RecordId } from "#model";
import { createAuditRules } from "#policy";
import { createSeeded, createVirtualClock, createVirtualTimers } from "#sim";
import { openRuntime } from "#stores";
import type { Queue } from "./queue.ts";
import { createReader, DONE, type Outcome, type Reader, type Reading } from "./reader.ts";
import type { LeasedMessage } from "./table.ts";

export const SECOND_MS = 1_000;
const bus = { leaseSeconds: 60, heartbeatSeconds: 20, deliveriesMax: 5 };
export const FAILED: Outcome = { how: "failed", reason: "handling_failed" };

/** A real queue in a file, read by a virtual clock. */
export async function openScene() {
  const dataDir = mkdtempSync(join(tmpdir(), "silas-reader-"));
  const clock = createVirtualClock(Date.UTC(2026, 10, 16, 9));
  const timers = createVirtualTimers(clock);
  const events: string[] = [];
  const note = (event: string): void => void events.push(event);
  const log = { info: note, warn: note, error: note };
  const auditRules = createAuditRules(sha256Hex);
  const opened = await openRuntime({ dataDir, clock, random: createSeeded(1), auditRules });
  if (!opened.ok) throw new Error(opened.error.code);
  const stores = opened.value;
  onTestFinished(() => {
    stores.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const { queue } = stores;
  let isStopped = false;
  const handled: string[] = [];
  const deps = { clock, timers, log, bus, isStopped: async () => isStopped };
  return {
    queue,
    clock,
    timers,
    stores,
    handled,
    stop: (value: boolean) => void (isStopped = value),
    events: (): readonly string[] => events,
    send: async (message: QueueMessage) => {
      const sent = await queue.enqueue(message, clock.now());
      expect(sent.ok).toBe(true);
    },
    /** Lets time pass up to the next timer; answers with how long that was. */
    nextTimer: (): number | null => {
      const before = msOfInstant(clock.now());
      return timers.next(before + 3_600_000) ? msOfInstant(clock.now()) - before : null;
    },
    leaseAs: (holder: string, kinds: readonly MessageKind[] = ["user_message"]) =>
      queue.lease({ kinds, holder, countMax: 10, at: clock.now(), leaseMs: 60_000, deliveriesMax: 5 }),
    read: (handle: (leased: LeasedMessage) => Promise<Outcome>, over: Partial<Reading> & { queue?: Queue } = {}) => {
      const { queue: read = queue, ...reading } = over;
      return createReader(
        { ...deps, queue: read },
        {
          name: "test/reader",
          kinds: ["user_message"],
          atOnce: 10,
          handle: async (leased) => {
            handled.push(leased.id);
            return handle(leased);
          },
          endDead: async () => {},
          halt: () => {},
          ...reading,
        },
      );
    },
  };
}
type Scene = Awaited<ReturnType<typeof openScene>>;

const SENT_AT = "2026-11-16T09:00:00.000Z" as never;
export const question = (id: string, scopeId = id): QueueMessage => ({
  ...userMessageOf({ messageId: id as RecordId, scopeId, taint: "owner", sources: [] }, SENT_AT),
  id,
});

/** A handler that holds what it handles until it is let go. */
export function createGate() {
  const waiting = new Map<string, (outcome: Outcome) => void>();
  return {
    waiting,
    handle: ({ id }: LeasedMessage): Promise<Outcome> => new Promise((resolve) => waiting.set(id, resolve)),
    letGo: (id: string, outcome: Outcome = DONE): void => {
      waiting.get(id)?.(outcome);
      waiting.delete(id);
    },
  };
}

/** Waits until work that needs no timer has come so far. */
export async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { interval: 1 }).toBe(true);
}
export const isEmpty = async (scene: Scene): Promise<boolean> => {
  scene.clock.moveMs(600_000);
  return (await scene.leaseAs("another")).length === 0 && scene.queue.dead().length === 0;
};

/** Lets the timers run until a message is delivered again or dead; answers with the seconds that took. */
export async function restOf({ clock, queue, handled, nextTimer }: Scene, reader: Reader): Promise<number> {
  const [beforeMs, deliveries] = [msOfInstant(clock.now()), handled.length];
  while (handled.length === deliveries && queue.dead().length === 0) {
    if (nextTimer() === null) throw new Error("nothing rests");
    // The timer's work is committed after the work that was under way.
    for (let commits = 0; commits < 3; commits += 1) await queue.recover("nobody", clock.now());
    await reader.idle();
  }
  return (msOfInstant(clock.now()) - beforeMs) / SECOND_MS;
}
