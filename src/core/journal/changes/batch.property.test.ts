import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ChangeToken, ChangeUnit, NotificationBatch } from "#model";
import { checkBatch, coalesce, createBatch } from "./batch.ts";
import { changeUnitKey, logicalChangeKey } from "./change-unit.ts";
import { tokenKey } from "./token.ts";

const part = fc.string({ unit: fc.constantFrom("a", "b", "-", "1"), minLength: 1, maxLength: 3 });
const unit: fc.Arbitrary<ChangeUnit> = fc.record({
  origin: fc.constantFrom("sync", "local"),
  hostId: part,
  counter: fc.integer({ min: 1, max: 5 }),
  payloadType: fc.constantFrom("journalEntity", "entryLink"),
  payloadId: part,
});
const token: fc.Arbitrary<ChangeToken> = fc.record({
  tokenClass: fc.constant("semanticKey" as const),
  tokenValue: part,
});
/** Few enough for the same change to come up again. */
const few = fc.constantFrom(1, 2, 3).map((counter): ChangeUnit => ({
  origin: "sync",
  hostId: "h",
  counter,
  payloadType: "journalEntity",
  payloadId: "p",
}));
const batches = fc
  .array(fc.record({ units: fc.array(few, { minLength: 1, maxLength: 2 }), tokens: fc.array(token) }))
  .map((given) => given.map((one, index) => createBatch({ localBatchId: `b${index}`, ...one })));

const keyOf = (units: readonly ChangeUnit[]) => logicalChangeKey(units.map(changeUnitKey));

test("[BATCHID-08] order and repetition leave the key alone; a change of any field of any unit changes it", () => {
  const set = fc
    .uniqueArray(unit, { minLength: 1, maxLength: 6, selector: changeUnitKey })
    .chain((units) => fc.tuple(fc.constant(units), fc.shuffledSubarray(units, { minLength: units.length })));
  fc.assert(
    fc.property(set, fc.nat(), ([units, shuffled], at) => {
      expect(keyOf([...shuffled, ...units.slice(0, 2)])).toBe(keyOf(units));
      const index = at % units.length;
      const one = units[index];
      if (one === undefined) return;
      const changed: readonly ChangeUnit[] = [
        { ...one, origin: one.origin === "sync" ? "local" : "sync" },
        { ...one, hostId: `${one.hostId}x` },
        { ...one, counter: one.counter + 100 },
        { ...one, payloadType: `${one.payloadType}x` },
        { ...one, payloadId: `${one.payloadId}x` },
      ];
      for (const other of changed) expect(keyOf(units.with(index, other))).not.toBe(keyOf(units));
    }),
  );
});

test("[BATCHID-02] no key depends on the local batch id, and joining looks at the logical key alone", () => {
  fc.assert(
    fc.property(
      fc.array(unit, { minLength: 1, maxLength: 3 }),
      fc.array(token),
      part,
      part,
      (units, tokens, one, other) => {
        const [first, second] = [one, other].map((localBatchId) => createBatch({ localBatchId, units, tokens }));
        expect({ ...first, localBatchId: "" }).toEqual({ ...second, localBatchId: "" });
        expect(coalesce([first, second].flatMap((batch) => batch ?? [])).length).toBe(1);
      },
    ),
  );
});

const allTokens = (given: readonly NotificationBatch[], key: string) =>
  new Set(given.filter((batch) => batch.logicalChangeKey === key).flatMap((batch) => batch.typedTokens.map(tokenKey)));

test("[BATCHID-10] only batches of the same logical change are joined, with the union of their tokens", () => {
  fc.assert(
    fc.property(batches, (given) => {
      const joined = coalesce(given);
      const keys = joined.map((batch) => batch.logicalChangeKey);
      expect(new Set(keys)).toEqual(new Set(given.map((batch) => batch.logicalChangeKey)));
      expect(new Set(keys).size).toBe(keys.length);
      for (const batch of joined) {
        expect(checkBatch(batch).ok).toBe(true);
        expect(new Set(batch.typedTokens.map(tokenKey))).toEqual(allTokens(given, batch.logicalChangeKey));
      }
    }),
  );
});

test("[BATCHID-11] however a stream is cut into windows, the same keys with the same tokens come out", () => {
  fc.assert(
    fc.property(batches, fc.array(fc.nat(5)), (given, cuts) => {
      const windows: NotificationBatch[][] = [[]];
      given.forEach((batch, index) => {
        if (cuts[index] === 0) windows.push([]);
        windows.at(-1)?.push(batch);
      });
      const inWindows = windows.flatMap((window) => coalesce(window));
      const whole = coalesce(given);
      const keys = (list: readonly NotificationBatch[]) => new Set(list.map((batch) => batch.logicalChangeKey));
      expect(keys(inWindows)).toEqual(keys(whole));
      for (const key of keys(whole)) expect(allTokens(inWindows, key)).toEqual(allTokens(whole, key));
      expect(coalesce(inWindows)).toEqual(whole);
    }),
  );
});
