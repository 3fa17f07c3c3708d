import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

test("never more at once than there are turns, also when somebody comes in the moment a turn is handed on", async () => {
  const turns = createTurns(1);
  let [running, most] = [0, 0];
  const piece = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  let letGo = (): void => {};
  const first = turns.take(() => new Promise<void>((resolve) => (letGo = resolve)));
  const second = turns.take(piece);
  letGo();
  // Somebody at each of the moments that follow.
  const others: Promise<void>[] = [];
  for (let moment = 0; moment < 12; moment += 1) {
    others.push(turns.take(piece));
    await Promise.resolve();
  }
  await Promise.all([first, second, ...others]);
  expect(most).toBe(1);
});
