import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JournalStore } from "#ports";
import { commitOf, fixedClock, HOST, must, write } from "../../../../test/contracts/journal-fixture.ts";
import { openJournalInMemory } from "../open-in-memory.ts";
import { createJournalOracle } from "./oracle.fixture.ts";

type Given = { readonly id: string; readonly deleted: boolean };

async function holding(store: JournalStore, given: readonly Given[]) {
  const writes = given.map((one) => write({ ...one, kind: "task" }));
  must(await store.commit(commitOf("op1", writes)));
  return async (idPart: string) => must(await store.answer({ kind: "find", idPart }));
}

test("the store finds what the oracle finds", async () => {
  const letter = fc.constantFrom("a", "b", "A", "-", "1");
  const text = (minLength: number) => fc.string({ unit: letter, minLength, maxLength: 16 });
  const given = fc.uniqueArray(fc.record({ id: text(1).map((rest) => `0${rest}`), deleted: fc.boolean() }), {
    selector: ({ id }) => id,
    minLength: 1,
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(given, fc.array(text(4), { minLength: 1, maxLength: 5 }), async (records, parts) => {
      const real = openJournalInMemory({ hostId: HOST, clock: fixedClock });
      const [expected, actual] = [await holding(createJournalOracle(HOST), records), await holding(real, records)];
      const asked = [...parts, ...records.flatMap(({ id }) => [id.slice(-4), id.slice(0, 5)])];
      for (const part of asked.filter(({ length }) => length >= 4))
        expect(await actual(part)).toEqual(await expected(part));
      await real.close();
    }),
    { numRuns: 25 },
  );
});
