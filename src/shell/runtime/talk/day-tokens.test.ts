import { expect, test } from "vitest";
import { ok, type Instant } from "#base";
import { hasRoom } from "./day-tokens.ts";

test("the tokens of a day are there to the last one, whatever used the others", async () => {
  const now = () => "2026-11-16T09:00:00.000Z" as Instant;
  const counts = [30, 50].map((used) => ({ tokensSince: async () => ok(used) }));
  const roomFor = (tokens: number) => hasRoom({ counts, clock: { now } }, { tokens, tokensPerDay: 100 });
  expect([await roomFor(19), await roomFor(20), await roomFor(21)]).toEqual([true, true, false]);
});
