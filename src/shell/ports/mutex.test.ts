import { expect, test } from "vitest";
import { createMutex } from "./mutex.ts";

test("pieces of work run one at a time, in the order in which they were asked for", async () => {
  const inTurn = createMutex();
  const events: string[] = [];
  const piece = (name: string) => async () => {
    events.push(`${name} begins`);
    await Promise.resolve();
    await Promise.resolve();
    events.push(`${name} ends`);
    return name;
  };
  expect(await Promise.all(["a", "b", "c"].map((name) => inTurn(piece(name))))).toEqual(["a", "b", "c"]);
  expect(events).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("a failure reaches its own caller alone, and what follows still runs", async () => {
  const inTurn = createMutex();
  const failed = inTurn(() => Promise.reject(new Error("broken")));
  const thrown = inTurn(() => {
    throw new Error("thrown at once");
  });
  const after = inTurn(() => Promise.resolve("after"));
  await expect(failed).rejects.toThrow("broken");
  await expect(thrown).rejects.toThrow("thrown at once");
  expect(await after).toBe("after");
});
