import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

const claim = (writes: readonly string[] = []) => ({ scope: "owner", writes, repositories: [] });

test("[PAR-02] a place is given back when a piece ends, fails or throws at once, and the next one begins", async () => {
  const turns = createTurns({ perScope: 1, inTotal: 1 });
  const ran: string[] = [];
  const piece = (name: string, act: () => Promise<void>) => turns.add(claim(), () => (ran.push(name), act()));
  const all = await Promise.allSettled([
    piece("ends", async () => {}),
    piece("fails", async () => {
      throw new Error("later");
    }),
    piece("throws", () => {
      throw new Error("at once");
    }),
    piece("last", async () => {}),
  ]);
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(ran).toEqual(["ends", "fails", "throws", "last"]);
});

test("what is closed before its turn never begins", async () => {
  const turns = createTurns({ perScope: 1, inTotal: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const ran: string[] = [];
  const first = turns.add(claim(), () => (ran.push("first"), promise));
  void turns.add(claim(), async () => void ran.push("second"));
  turns.close();
  resolve();
  await first;
  expect(ran).toEqual(["first"]);
});
