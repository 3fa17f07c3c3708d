import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { LeasedMessage, Queue } from "#engine";
import { depth } from "../depth.ts";
import { at } from "./journal-fixture.ts";
import { inQueue, questionNamed, requestOf } from "./queue-fixture.ts";
import * as plain from "./queue-model.ts";

const IDS = ["a", "b", "c", "d", "e", "f"] as const;
const HOLDERS = ["one", "two"] as const;
const which = fc.nat(9);
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("enqueue"), id: fc.constantFrom(...IDS) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("lease"),
      holder: fc.constantFrom(...HOLDERS),
      countMax: fc.integer({ min: 1, max: 3 }),
    }),
  },
  fc.record({ kind: fc.constant("heartbeat"), which }),
  fc.record({ kind: fc.constant("settle"), which, follows: fc.boolean() }),
  fc.record({ kind: fc.constant("giveBack"), which, how: fc.constantFrom("unused", "failed", "hopeless") }),
  fc.record({ kind: fc.constant("recover"), holder: fc.constantFrom(...HOLDERS) }),
  fc.record({ kind: fc.constant("wait"), seconds: fc.constantFrom(1, 59, 60, 61) }),
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

type Playing = { readonly queue: Queue; readonly model: plain.ModelQueue; readonly leases: LeasedMessage[] };
/** The answers of the queue and of the model. */
type Answers = readonly [real: unknown, plain: unknown];

async function play(playing: Playing, given: Command): Promise<Answers> {
  const { queue, model, leases } = playing;
  const now = at(model.seconds / 60);
  switch (given.kind) {
    case "enqueue": {
      const { id } = given;
      const sent = await queue.enqueue(questionNamed(id, plain.scopeOf(id)), now);
      return [sent.ok && sent.value, plain.enqueue(model, id)];
    }
    case "lease": {
      const { kind: _lease, ...asked } = given;
      const kinds = ["user_message"] as const;
      const leased = await queue.lease(requestOf({ ...asked, kinds, at: now, deliveriesMax: plain.DELIVERIES_MAX }));
      leases.push(...leased);
      return [
        leased.map(({ id, fence, delivery }) => [id, fence, delivery]),
        plain.lease(model, asked).map(({ id, fence, deliveries }) => [id, fence, deliveries]),
      ];
    }
    case "recover":
      await queue.recover(given.holder, now);
      return [null, plain.recover(model, given.holder) ?? null];
    case "wait":
      model.seconds += given.seconds;
      return [null, null];
    default: {
      const chosen = leases[given.which % Math.max(1, leases.length)];
      return chosen === undefined ? [null, null] : playHeld(playing, { given, chosen });
    }
  }
}

type HeldCommand = Extract<Command, { readonly which: number }>;

async function playHeld(
  { queue, model }: Playing,
  { given, chosen }: { readonly given: HeldCommand; readonly chosen: LeasedMessage },
): Promise<Answers> {
  const now = at(model.seconds / 60);
  if (given.kind === "heartbeat") {
    const lost = await queue.heartbeat([chosen], { at: now, leaseMs: plain.LEASE_SECONDS * 1000 });
    return [lost, plain.prolong(model, chosen) ? [] : [chosen]];
  }
  if (given.kind === "settle") {
    const id = given.follows ? `${chosen.id}${chosen.fence}` : null;
    const { traceId } = chosen.message;
    const derived = id === null ? [] : [questionNamed(id, plain.scopeOf(id), { traceId })];
    const settled = await queue.settle({ lease: chosen, at: now, derived });
    return [settled.ok, plain.settle(model, chosen, id)];
  }
  const { how } = given;
  const back = how === "unused" ? { how } : { how, reason: "handling_failed" as const };
  const returned = await queue.giveBack({ lease: chosen, back, at: now, deliveriesMax: plain.DELIVERIES_MAX });
  return [returned.ok ? returned.value : "lost", plain.giveBack(model, chosen, how)];
}

/** Fast-check prints the seed and the shortest sequence that fails. */
test("[BUS-12] [BUS-13] [BUS-15] [BUS-16] the queue answers any sequence of calls of two holders as a plain list does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 60, size: "max" }), (commands) =>
      inQueue(async (queue) => {
        const playing = { queue, model: plain.emptyModel(), leases: [] };
        for (const given of commands) {
          const [real, expected] = await play(playing, given);
          expect(real, JSON.stringify(given)).toEqual(expected);
        }
        expect(queue.dead().map(({ id }) => id)).toEqual(playing.model.died.toReversed());
      }),
    ),
    { numRuns: depth({ sample: 60, every: 1_000 }) },
  );
});
