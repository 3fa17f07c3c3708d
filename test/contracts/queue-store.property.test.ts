import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { LeasedMessage } from "#ports";
import { at, must } from "./journal-fixture.ts";
import { openInMemory } from "../stores-in-memory.ts";
import { askFor, messageNamed, type Opened } from "./queue-fixture.ts";

const NAMES = ["a", "b", "c", "d"] as const;
const CONSUMERS = ["one", "two"] as const;

const command = fc.oneof(
  fc.record({ kind: fc.constant("enqueue"), name: fc.constantFrom(...NAMES), scope: fc.constantFrom("x", "y") }),
  fc.record({
    kind: fc.constant("lease"),
    consumer: fc.constantFrom(...CONSUMERS),
    countMax: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant("heartbeat"), which: fc.nat(9) }),
  fc.record({
    kind: fc.constant("settle"),
    which: fc.nat(9),
    follows: fc.option(fc.constantFrom(...NAMES), { nil: null }),
  }),
  fc.record({ kind: fc.constant("nack"), which: fc.nat(9), how: fc.constantFrom("unused", "failed", "hopeless") }),
  fc.record({ kind: fc.constant("putBack") }),
  fc.record({ kind: fc.constant("wait"), seconds: fc.constantFrom(10, 59, 61) }),
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** Everything that was leased so far, and how long each lease is good for. */
type Seen = {
  minutes: number;
  readonly leases: LeasedMessage[];
  readonly untils: Map<number, number>;
  readonly settled: string[];
};

const DELIVERIES = { deliveriesMax: 3 };

async function play(
  { queue }: Opened,
  { given, seen }: { readonly given: Command; readonly seen: Seen },
): Promise<unknown> {
  const now = at(seen.minutes);
  const chosen = "which" in given ? seen.leases[given.which % Math.max(1, seen.leases.length)] : undefined;
  switch (given.kind) {
    case "enqueue":
      return queue.enqueue({
        queue: "runtime_queue",
        message: messageNamed(given.name, { scopeId: given.scope }),
        at: now,
      });
    case "lease": {
      const { consumer, countMax } = given;
      const leased = await queue.lease(askFor({ consumer, countMax, at: now, ...DELIVERIES }));
      for (const one of must(leased)) {
        // Nobody else holds it, and this reader has not acted on it. [BUS-12] [BUS-16]
        const before = seen.leases.filter(({ messageId, fence }) => messageId === one.messageId && fence < one.fence);
        expect(before.every(({ fence }) => (seen.untils.get(fence) ?? 0) <= seen.minutes)).toBe(true);
        expect(seen.settled).not.toContain(`${consumer} ${one.messageId}`);
        expect(one.delivery).toBeLessThanOrEqual(DELIVERIES.deliveriesMax);
        seen.leases.push(one);
        seen.untils.set(one.fence, seen.minutes + 1);
      }
      return leased;
    }
    case "heartbeat": {
      if (chosen === undefined) return null;
      const lost = await queue.heartbeat([chosen], { at: now, leaseMs: 60_000 });
      if (must(lost).length === 0) seen.untils.set(chosen.fence, seen.minutes + 1);
      return lost;
    }
    case "settle": {
      if (chosen === undefined) return null;
      const { traceId } = chosen.message;
      const follows = given.follows === null ? [] : [messageNamed(`${chosen.messageId}-${given.follows}`, { traceId })];
      const derived = follows.map((message) => ({ queue: "runtime_queue", message }) as const);
      const settled = await queue.settle({ lease: chosen, at: now, derived });
      const isInTime = (seen.untils.get(chosen.fence) ?? 0) > seen.minutes;
      if (settled.ok) {
        expect(isInTime).toBe(true);
        seen.settled.push(`${chosen.consumer} ${chosen.messageId}`);
        seen.untils.set(chosen.fence, 0);
      }
      return settled;
    }
    case "nack": {
      if (chosen === undefined) return null;
      const back = { lease: chosen, how: given.how, reason: "handling_failed", at: now, ...DELIVERIES } as const;
      const returned = await queue.nack(back as Parameters<typeof queue.nack>[0]);
      if (returned.ok) seen.untils.set(chosen.fence, 0);
      return returned;
    }
    case "putBack": {
      for (const { fence } of seen.leases) seen.untils.set(fence, 0);
      return queue.putBack("runtime_queue");
    }
    default:
      seen.minutes += given.seconds / 60;
      return null;
  }
}

const fresh = (): Seen => ({ minutes: 0, leases: [], untils: new Map(), settled: [] });

async function checkSequence(commands: readonly Command[], opened: Opened): Promise<void> {
  const seen = fresh();
  const sent = new Set<string>();
  for (const given of commands) {
    await play(opened, { given, seen });
    if (given.kind === "enqueue") sent.add(given.name);
  }
  expect(new Set(seen.settled).size).toBe(seen.settled.length);
  must(await opened.queue.putBack("runtime_queue"));
  const waiting = must(await opened.queue.lease(askFor({ consumer: "three", countMax: 100, at: at(seen.minutes) })));
  const dead = must(await opened.queue.deadLetters("runtime_queue"));
  const settled = seen.settled.map((one) => one.split(" ")[1] ?? "");
  const found = new Set([...settled, ...[...waiting, ...dead].map(({ messageId }) => messageId)]);
  expect([...sent].filter((messageId) => !found.has(messageId))).toEqual([]);
}

test("[BUS-12] [BUS-15] [BUS-16] whatever happens in whatever order, nobody holds what another holds, no reader acts on a message twice, and none is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
      const opened = openInMemory();
      await checkSequence(commands, opened);
      opened.close();
    }),
    { numRuns: 200 },
  );
});
